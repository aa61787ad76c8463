// What every wire protocol must do, whatever its format: one suite, run by each implementation.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AgentEvent, isTerminal } from '../../src/core/events.ts'
import { FAILURE_CODES, FAILURES, Refusal } from '../../src/core/failure.ts'
import type { Frame, Protocol, ReplyContext } from '../../src/protocols/protocol.ts'
import {
  CONTEXT,
  clientTool,
  cursorTool,
  failure,
  finish,
  framesOf,
  MAIN_STREAMS,
  merged,
  type Step,
  text,
  thinking,
  thinkingEnd,
  toolEnd,
} from '../protocols/streams.ts'
import { anyFinish, anySteps, deltas } from './arbitrary-events.ts'

/** What of a reply the suite compares, free of its wire format. */
export interface Gist {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly stop: string
  /** All input tokens, cached ones included. */
  readonly input: number
  readonly output: number
}

export interface ProtocolCase {
  readonly protocol: Protocol
  /** Field that holds the conversation. */
  readonly conversation: string
  /** The smallest streamed request, with `extra` fields. */
  readonly body: (extra?: object) => object
  /** A conversation may be a plain string. */
  readonly takesString?: boolean
  /** Frames that may stand between a failure and what came before: ends of calls that were open. */
  readonly closing: RegExp
  /** Words for `stop` by reason. */
  readonly stops: { readonly stop: string; readonly calls: string; readonly length: string }
  /** Joins a whole stream as clients do. @throws when it breaks a rule of the API. */
  readonly join: (frames: readonly Frame[]) => object
  readonly readWithSdk: (frames: readonly Frame[]) => Promise<object>
  readonly gist: (reply: object) => Gist
}

export function protocolSuite(cases: ProtocolCase): void {
  const { protocol } = cases
  const frames = (steps: readonly Step[], context: ReplyContext = CONTEXT): readonly Frame[] =>
    framesOf(protocol, cases.body(), steps, context)
  const reply = (events: readonly AgentEvent[], context: ReplyContext = CONTEXT): object =>
    protocol.reply(protocol.parse(cases.body(), new Headers()), context, events)

  describe('requests', () => {
    test.each([
      ['nothing', undefined],
      ['null', null],
      ['a list', []],
      ['a string', 'hi'],
    ])('%s is no request', (_name, body) => {
      const parse = () => protocol.parse(body, new Headers())
      expect(parse).toThrow(Refusal)
      expect(parse).toThrow(/^body: expected an object, received /)
    })

    const conversations: readonly (readonly [string, unknown, string])[] = [
      ['missing', undefined, 'nothing'],
      ['empty', [], '[]'],
      ['a string', 'x', 'a string'],
      ['a number', 7, '7'],
      ['null', null, 'null'],
    ]
    test.each(conversations.filter(([name]) => name !== 'a string' || cases.takesString !== true))(
      'a conversation that is %s is refused by name',
      (_name, value, received) => {
        const body = { ...cases.body(), [cases.conversation]: value }
        const parse = () => protocol.parse(body, new Headers())
        expect(parse).toThrow(expect.objectContaining({ code: 'invalid-request' }))
        expect(parse).toThrow(new RegExp(`^${cases.conversation}: expected .*, received `))
        expect(parse).toThrow(received)
      },
    )

    test('unknown fields pass', () => {
      const turn = protocol.parse(cases.body({ brand_new: { deep: [1] } }), new Headers())
      expect(turn.messages).toHaveLength(1)
    })

    test('a model need not be named, and is kept as written', () => {
      expect(protocol.parse(cases.body({ model: undefined }), new Headers()).model).toBe('')
      expect(protocol.parse(cases.body({ model: 'A/b@1' }), new Headers()).model).toBe('A/b@1')
    })

    test('streaming is off unless asked for', () => {
      const plain = protocol.parse(cases.body({ stream: undefined }), new Headers())
      expect(plain.reply.stream).toBe(false)
      expect(protocol.parse(cases.body({ stream: true }), new Headers()).reply.stream).toBe(true)
    })

    test('whatever JSON comes, it is understood or refused, never an error of ours', () => {
      fc.assert(
        fc.property(fc.jsonValue(), (value) => {
          for (const body of [value, { ...cases.body(), [cases.conversation]: value }]) {
            try {
              protocol.parse(body, new Headers())
            } catch (error) {
              expect(error).toBeInstanceOf(Refusal)
            }
          }
        }),
      )
    })
  })

  describe('streams', () => {
    test('any order of events gives one whole stream that joins to the whole reply', () => {
      fc.assert(
        fc.property(anySteps, anyFinish, fc.boolean(), (steps, end, showTools) => {
          const context = { ...CONTEXT, showTools }
          const events = [...steps.filter((step) => step !== 'beat'), end]
          const joined = cases.join(frames([...steps, end], context))
          expect(joined).toEqual(reply(merged(events), context))
          expect(reply(events, context)).toEqual(reply(merged(events), context))
        }),
        { numRuns: 300 },
      )
    })

    test('text arrives byte for byte, however it is cut', () => {
      fc.assert(
        fc.property(deltas, (pieces) => {
          const joined = cases.join(frames([...pieces.map(text), finish()]))
          expect(cases.gist(joined).text).toBe(pieces.join(''))
        }),
      )
    })

    test('each frame is one line', () => {
      fc.assert(
        fc.property(anySteps, (steps) => {
          for (const { data } of frames([...steps, finish()])) expect(data).not.toMatch(/[\r\n]/)
        }),
      )
    })

    test('nothing follows the terminal event, not even a keep-alive', () => {
      const late = [
        text('late'),
        'beat',
        finish(),
        failure('late'),
        clientTool('c', 'X', {}),
      ] as const
      for (const end of [finish(), failure('broken')]) {
        expect(frames([text('a'), end, ...late])).toEqual(frames([text('a'), end]))
      }
    })

    test('a failure is the last frame and no normal end', () => {
      fc.assert(
        fc.property(anySteps, (steps) => {
          const all = frames([...steps, failure('it broke')])
          expect(all.at(-1)?.data).toContain('it broke')
          const before = frames(steps)
          expect(all.slice(0, before.length)).toEqual(before)
          // Between them only the ends of Cursor's calls that were still open.
          const closed = all.slice(before.length, -1).map(({ data }) => data)
          expect(closed.filter((data) => !cases.closing.test(data))).toEqual([])
          expect(() => cases.join(all)).toThrow()
        }),
      )
    })

    test('the text of a failure is not part of the answer', () => {
      const all = frames([text('half'), failure('it broke')])
      expect(all.slice(0, -1).some(({ data }) => data.includes('it broke'))).toBe(false)
    })

    test('a failure before anything was shown opens no reply', () => {
      expect(frames([failure('it broke')])).toHaveLength(1)
    })

    test('a keep-alive at any moment leaves the reply as it is', () => {
      const events = [thinking('a'), thinkingEnd, text('b'), clientTool('c', 'X', {}), finish()]
      const beaten: Step[] = events.flatMap((event) => ['beat', 'beat', event] as const)
      expect(frames(beaten).length).toBeGreaterThan(frames(events).length)
      expect(cases.join(frames(beaten))).toEqual(cases.join(frames(events)))
    })
  })

  describe('tools', () => {
    test('what Cursor runs itself is never handed to the client', () => {
      const events = [
        cursorTool('t', 'Edit', 'a'),
        toolEnd('t', 'success', 1),
        text('ok'),
        finish(),
      ]
      for (const showTools of [true, false]) {
        const { calls, stop } = cases.gist(reply(events, { ...CONTEXT, showTools }))
        expect(calls).toEqual([])
        expect(stop).toBe(cases.stops.stop)
      }
    })

    test('client calls carry id, name and arguments, and decide the stop reason', () => {
      const events = [
        clientTool('c1', 'Read', { path: 'a' }),
        clientTool('c2', 'List', null),
        clientTool('c1', 'Read', { path: 'again' }),
        finish(),
      ]
      const { calls, stop } = cases.gist(reply(events))
      expect(calls).toEqual([
        { id: 'c1', name: 'Read', input: { path: 'a' } },
        { id: 'c2', name: 'List', input: {} },
      ])
      expect(stop).toBe(cases.stops.calls)
    })

    test('a stop for calls that never came is a plain stop', () => {
      const events = [text('a'), finish(undefined, 'tool-calls')]
      expect(cases.gist(reply(events)).stop).toBe(cases.stops.stop)
    })

    test('a reply cut by its length says so', () => {
      const events = [text('a'), finish(undefined, 'length')]
      expect(cases.gist(reply(events)).stop).toBe(cases.stops.length)
    })
  })

  test('cached tokens are counted once', () => {
    const usage = { input: 15, output: 7, cacheRead: 80, cacheWrite: 5 }
    expect(cases.gist(reply([finish(usage)]))).toMatchObject({ input: 100, output: 7 })
  })

  test('a client that switched thinking off gets none', () => {
    const turn = { ...protocol.parse(cases.body(), new Headers()), thinking: false }
    const events = [thinking('secret'), thinkingEnd, text('b'), finish()]
    const writer = protocol.stream(turn, CONTEXT)
    expect(JSON.stringify(events.flatMap((event) => writer.event(event)))).not.toContain('secret')
    expect(JSON.stringify(protocol.reply(turn, CONTEXT, events))).not.toContain('secret')
  })

  describe('the official SDK', () => {
    test.each(MAIN_STREAMS)(
      'reads the stream "$name" as it was meant',
      async ({ steps, context }) => {
        const whole = { ...CONTEXT, ...context }
        const all = frames(steps, whole)
        const events = steps.filter((step) => step !== 'beat')
        const last = events.at(-1)
        if (last !== undefined && isTerminal(last) && last.type === 'failure') {
          await expect(cases.readWithSdk(all)).rejects.toThrow(last.message)
        } else {
          const read = cases.gist(await cases.readWithSdk(all))
          expect(read).toEqual(cases.gist(reply(events, whole)))
        }
      },
    )

    test('reads any stream', async () => {
      await fc.assert(
        fc.asyncProperty(anySteps, anyFinish, async (steps, end) => {
          const events = [...steps.filter((step) => step !== 'beat'), end]
          const read = cases.gist(await cases.readWithSdk(frames([...steps, end])))
          expect(read).toEqual(cases.gist(reply(events)))
        }),
        { numRuns: 60 },
      )
    })
  })

  test.each(FAILURE_CODES)('%s has a status and an envelope with its message', (code) => {
    const status = protocol.status(code)
    expect([FAILURES[code].status, FAILURES[code].anthropicStatus]).toContain(status)
    const details = { error_code: 'why' }
    expect(protocol.failure({ code, message: 'what and why', details })).toMatchObject({
      error: { message: 'what and why', details },
    })
    expect(protocol.failure({ code, message: 'm' })).not.toHaveProperty('error.details')
  })
}
