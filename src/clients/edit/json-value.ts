// Plain data as JSON, TOML and YAML share it.

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

export const isMap = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A copy with the value at that path; whatever stood in the way is replaced by a map. */
export function withValue(base: unknown, path: readonly string[], value: JsonValue): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const map = isMap(base) ? base : {}
  return { ...map, [key]: withValue(map[key], rest, value) }
}
