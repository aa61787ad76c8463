// Narrowing of unknown JSON without a schema library (worker threads must stay small).

export type JsonObject = Readonly<Record<string, unknown>>

/** True for plain objects as JSON.parse makes them; false for null and arrays. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' ? value : undefined
}

/** A finite number, or a string that spells one (protobuf-JSON prints 64-bit integers as strings). */
export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key]
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const parsed = Number(value)
  return Number.isFinite(parsed) ? parsed : undefined
}

export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key]
  return isObject(value) ? value : undefined
}

export function arrayAt(object: JsonObject, key: string): readonly unknown[] | undefined {
  const value = object[key]
  return Array.isArray(value) ? value : undefined
}

/** The parsed text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A copy of plain data with every text in it changed, names of fields included. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    change(key),
    mapTexts(inner, change),
  ])
  return Object.fromEntries(entries)
}
