// docs/fields.md, row by row: what it says of a field is what the parsers do with it.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/core/failure.ts'
import type { Json, Turn } from '../../src/core/turn.ts'
import { messagesProtocol } from '../../src/protocols/anthropic/messages.ts'
import { chatProtocol } from '../../src/protocols/openai-chat/chat.ts'
import { responsesProtocol } from '../../src/protocols/openai-responses/responses.ts'
import type { KeptReplies, Protocol } from '../../src/protocols/protocol.ts'
import { CHAT, type FieldCase, MESSAGES, RESPONSES } from './field-cases.ts'

const DOC = readFileSync(new URL('../../docs/fields.md', import.meta.url), 'utf8')
const VERDICTS = ['honoured', 'emulated', 'ignored', 'refused'] as const

interface Row {
  readonly field: string
  readonly verdict: (typeof VERDICTS)[number]
}

function rowsOf(heading: string): readonly Row[] {
  const section = DOC.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(([, field = '', word = '']) => {
    const verdict = VERDICTS.find((known) => known === word)
    if (verdict === undefined) throw new Error(`${field} is ${word}`)
    return { field, verdict }
  })
}

const EARLIER: Json = { id: 'msg_1', type: 'message', role: 'assistant', content: 'one' }
const KEPT: KeptReplies = {
  upTo: (id) => (id === 'resp_1' ? [EARLIER] : undefined),
  conversation: () => [EARLIER],
  item: (id) => (id === 'msg_1' ? EARLIER : undefined),
}

interface Api {
  readonly heading: string
  readonly protocol: Protocol
  readonly base: object
  readonly cases: Readonly<Record<string, FieldCase>>
}

const APIS: readonly Api[] = [
  {
    heading: 'Chat completions',
    protocol: chatProtocol,
    base: { model: 'auto', messages: [{ role: 'user', content: 'hi' }] },
    cases: CHAT,
  },
  {
    heading: 'Responses',
    protocol: responsesProtocol,
    base: { model: 'auto', input: 'hi' },
    cases: RESPONSES,
  },
  {
    heading: 'Messages',
    protocol: messagesProtocol,
    base: { model: 'auto', messages: [{ role: 'user', content: 'hi' }] },
    cases: MESSAGES,
  },
]

describe.each(APIS)('$heading', ({ heading, protocol, base, cases }) => {
  const rows = rowsOf(heading)
  const parse = (fields: object): Turn =>
    protocol.parse({ ...base, ...fields }, new Headers(), KEPT)

  test('every row has a case, every case a row', () => {
    expect(rows.length).toBeGreaterThan(20)
    expect(new Set(rows.map(({ field }) => field))).toEqual(new Set(Object.keys(cases)))
  })

  test.each(rows)('$field is $verdict', ({ field, verdict }) => {
    const one = cases[field]
    if (one === undefined) throw new Error(`no case for ${field}`)
    if (verdict === 'refused') {
      expect(() => parse(one.fields)).toThrow(Refusal)
      const name = field.split(/[.:[]/)[0] ?? ''
      expect(() => parse(one.fields)).toThrow(new RegExp(`^(?:${one.named ?? name})\\b`))
      if (one.passes !== undefined) expect(() => parse(one.passes ?? {})).not.toThrow()
      return
    }
    if (verdict === 'ignored') {
      expect(bare(parse(one.fields))).toEqual(bare(parse({})))
      return
    }
    expect(bare(parse({ ...one.without }))).not.toMatchObject(one.turn ?? {})
    expect(parse(one.fields)).toMatchObject(one.turn ?? {})
  })
})

test('no name in anthropic-beta changes anything', () => {
  const body = { model: 'auto', messages: [{ role: 'user', content: 'hi' }] }
  const headers = new Headers({ 'anthropic-beta': 'brand-new-2026-12-01,context-1m-2025-08-07' })
  const plain = messagesProtocol.parse(body, new Headers())
  expect(messagesProtocol.parse(body, headers)).toEqual(plain)
})

/** Without what the request only repeats, and the person that OpenAI's APIs name. */
function bare(turn: Turn): object {
  const { reply, bodyIds, ...rest } = turn
  const own = turn.api === 'messages' ? bodyIds : { ...bodyIds, userId: undefined }
  const { responses, ...form } = reply
  const opaque = { encryptedReasoning: responses?.encryptedReasoning, calls: responses?.callForms }
  const { format, ...plain } = rest
  return {
    ...plain,
    ...(format && { format: { ...format, problem: undefined } }),
    bodyIds: own,
    reply: { ...form, ...(responses && { responses: opaque }) },
  }
}
