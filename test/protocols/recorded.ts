// Recorded requests of real clients (test/fixtures/requests), with references between their tool lists resolved.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'

const FOLDER = resolve(import.meta.dirname, '../fixtures/requests')

export interface Recorded {
  /** `claude-code-image #0`, for test names. */
  readonly name: string
  readonly path: string
  readonly headers: Headers
  readonly body: JsonObject
}

/** Every recorded request that has a body, file by file in the order they were sent. */
export function recordedRequests(): readonly Recorded[] {
  return readdirSync(FOLDER).flatMap((file) => {
    const content: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
    const requests = isObject(content) ? (arrayAt(content, 'requests') ?? []) : []
    return requests.filter(isObject).flatMap((request, index) => {
      const body = objectAt(request, 'body')
      if (body === undefined) return []
      const name = `${file.replace('.json', '')} #${index}`
      const path = (stringAt(request, 'url') ?? '').replace(/\?.*/, '')
      return [{ name, path, headers: headersOf(request), body: withTools(body, requests) }]
    })
  })
}

/** The recorded request of that name. @throws Error when there is none. */
export function recorded(name: string): Recorded {
  const found = recordedRequests().find((request) => request.name === name)
  if (found === undefined) throw new Error(`no recorded request ${name}`)
  return found
}

function headersOf(request: JsonObject): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(objectAt(request, 'headers') ?? {})) {
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}

/** `"tools": "same as requests[0].body.tools (12 tools)"` → that list. */
function withTools(body: JsonObject, requests: readonly unknown[]): JsonObject {
  const reference = stringAt(body, 'tools')
  if (reference === undefined) return body
  const index = Number(/requests\[(\d+)\]/.exec(reference)?.[1])
  const source = requests[index]
  const tools = isObject(source) ? arrayAt(objectAt(source, 'body') ?? {}, 'tools') : undefined
  if (tools === undefined) throw new Error(`unresolved tool list: ${reference}`)
  return { ...body, tools }
}
