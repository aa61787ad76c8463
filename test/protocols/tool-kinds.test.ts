// Every kind of tool that Cursor has, from the CLI's own lines to what clients get: calls that end well, fail, are rejected
// or never end, side by side and the last one first. One fixture per kind; the goldens were read when they were made.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROWS } from '../../src/backends/tool-rows.ts'
import { messagesProtocol } from '../../src/protocols/anthropic/messages.ts'
import { chatProtocol } from '../../src/protocols/openai-chat/chat.ts'
import { play } from '../backends/print/replay.ts'
import { joinChat, joinMessages } from '../contract/reassemble.ts'
import { CONTEXT, framesOf, merged, sse } from './streams.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/tools')
const FILES = readdirSync(FOLDER).map((file) => file.replace(/\.jsonl$/, ''))
const BODY = { model: 'auto', stream: true, messages: [{ role: 'user', content: 'hi' }] }

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(FOLDER, `${file}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')

const PROTOCOLS = [
  { folder: 'openai-chat', protocol: chatProtocol, join: joinChat },
  { folder: 'anthropic', protocol: messagesProtocol, join: joinMessages },
]

describe.each(PROTOCOLS)('$folder', ({ folder, protocol, join: joined }) => {
  test.each(FILES)('%s', async (file) => {
    const { events } = play(linesOf(file))
    const frames = framesOf(protocol, BODY, events)
    await expect(sse(frames)).toMatchFileSnapshot(`../fixtures/wire/${folder}/tools/${file}.sse`)
    // The same blocks in a reply that is not streamed. Without `include_usage` a chat stream has no usage.
    const reply = protocol.reply(protocol.parse(BODY, new Headers()), CONTEXT, merged(events))
    expect({ ...joined(frames), usage: 0 }).toEqual({ ...reply, usage: 0 })
  })
})

test('every row of the table has its fixture', () => {
  const others = new Set(linesOf('other-kinds').flatMap((line) => line.match(/\w+(?=ToolCall":)/g)))
  const missing = Object.keys(ROWS).filter((kind) => !FILES.includes(kind) && !others.has(kind))
  expect(missing).toEqual([])
})

test.each(FILES)('%s: calls that end well, fail, are rejected and never end', (file) => {
  const outcomes = play(linesOf(file)).events.flatMap((event) =>
    event.type === 'tool-end' ? event.outcome : [],
  )
  for (const outcome of ['success', 'rejected', 'unfinished']) expect(outcomes).toContain(outcome)
  expect(new Set(outcomes).size).toBeGreaterThan(3)
})
