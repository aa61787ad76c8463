// Sums over Prometheus' text format, and the service's log.
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'
import type { Service } from './service.ts'

/** Sum of a metric's series (name without prefix) that carry all these labels, whatever others they have. */
export async function total(
  service: Service,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return totalIn(await service.metrics(), name, labels)
}

export function totalIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`)
  let sum = 0
  for (const line of text.split('\n')) {
    const match = /^cursor_adapter_(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (match?.[1] !== name) continue
    const given = (match[2] ?? '').split(/,(?=\w+=")/)
    if (wanted.every((label) => given.includes(label))) sum += Number(match[3])
  }
  return sum
}

/** Log lines with this message so far. */
export function logged(service: Service, msg: string): JsonObject[] {
  return service
    .stderr()
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
    .filter((line) => line.msg === msg)
}
