// Requests of real clients: which of one recording belong together, and what kind they are.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Turn } from '../../src/core/turn.ts'
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { parseMessages } from '../../src/protocols/anthropic/request.ts'
import { parseChat } from '../../src/protocols/openai-chat/request.ts'
import { parseResponses } from '../../src/protocols/openai-responses/request.ts'
import { identify } from '../../src/sessions/identity.ts'

interface Recorded {
  readonly url: string
  readonly headers: Headers
  readonly turn: Turn
}

function recorded(name: string): readonly Recorded[] {
  const url = new URL(`../fixtures/requests/${name}.json`, import.meta.url)
  const parsed: unknown = JSON.parse(readFileSync(url, 'utf8'))
  const requests = isObject(parsed) ? (arrayAt(parsed, 'requests') ?? []) : []
  return requests.filter(isObject).flatMap((request) => {
    const body = objectAt(request, 'body')
    const path = stringAt(request, 'url') ?? ''
    if (body === undefined) return []
    const whole = { ...body, tools: toolsOf(body, requests) }
    const turn = turnOf(path, whole)
    return [{ url: path, headers: headersOf(request), turn }]
  })
}

function turnOf(path: string, body: JsonObject): Turn {
  if (path.includes('/responses')) return parseResponses(body, undefined)
  return path.includes('/chat/') ? parseChat(body) : parseMessages(body)
}

/** A repeated tool list is given as `same as requests[N].body.tools`. */
function toolsOf(body: JsonObject, requests: readonly unknown[]): unknown {
  const match = /requests\[(\d+)\]/.exec(stringAt(body, 'tools') ?? '')
  if (match === null) return body.tools
  const other = requests[Number(match[1])]
  return isObject(other) ? objectAt(other, 'body')?.tools : undefined
}

function headersOf(request: JsonObject): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(objectAt(request, 'headers') ?? {})) {
    headers.set(name, String(value))
  }
  return headers
}

/** `kind` and the number of the conversation, counted by first appearance. */
function outline(name: string): string[] {
  const keys: (string | undefined)[] = []
  return recorded(name).map(({ url, headers, turn }) => {
    const counting = url.includes('count_tokens')
    const { kind, key } = identify({
      api: turn.api,
      headers,
      bodyIds: turn.bodyIds,
      turn,
      counting,
    })
    if (!keys.includes(key)) keys.push(key)
    return key === undefined ? `${kind} -` : `${kind} ${keys.indexOf(key)}`
  })
}

test.each([
  ['claude-code-tool-loop', ['main 0', 'main 0']],
  [
    'claude-code-subagent',
    ['main 0', 'main 0', 'subagent 1', 'subagent 2', 'subagent 1', 'main 0'],
  ],
  ['claude-code-hint-headers', ['main 0', 'main 0', 'main 0']],
  ['claude-code-nonstream-fallback', ['main 0', 'main 0']],
  ['claude-code-1.0.128-tool-loop', ['main 0', 'other 1', 'main 0']],
  ['claude-code-2.0.76-tool-loop', ['main 0', 'warmup 1', 'warmup 1', 'other 2', 'main 0']],
  ['agent-sdk-tool-loop', ['main 0', 'main 0']],
  ['codex-0.80.0-chat', ['main 0', 'main 0']],
  ['codex-tool-loop', ['main 0', 'main 0']],
  ['codex-0.80.0-responses', ['main 0', 'main 0']],
  ['codex-auto-compact', ['main 0', 'compaction 0', 'main 0']],
  ['qwen-responses-tool-loop', ['main 0', 'main 0']],
  ['pi-responses-tool-loop', ['main 0', 'main 0']],
  ['cline-responses-tool-loop', ['main -', 'main -']],
  ['ccr-chat-tool-loop', ['main -', 'main -']],
  ['cline-chat-tool-loop', ['main -', 'main -']],
  ['pi-messages-tool-loop', ['main -', 'main -']],
])('%s', (name, expected) => {
  expect(outline(name)).toEqual(expected)
})

test('compaction is a side request of the conversation it condenses', () => {
  expect(outline('claude-code-auto-compact').slice(0, 3)).toEqual([
    'main 0',
    'compaction 0',
    'compaction 0',
  ])
})

test('OpenCode: title request, main turn and sub-agent never share a conversation', () => {
  const [title, main, subagent, later] = outline('opencode-chat-subagent')
  expect(main).toBe('main 1')
  expect(subagent).toBe('subagent 2')
  expect(later).toBe('main 1')
  // Its fixed text is masked in the recording, so only the separation can be seen here.
  expect(title).toMatch(/ 0$/)
})

test('counting is told apart by its path', () => {
  expect(new Set(outline('claude-code-count-tokens').map((line) => line.split(' ')[0]))).toEqual(
    new Set(['count']),
  )
})
