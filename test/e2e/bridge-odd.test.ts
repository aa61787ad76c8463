// Mode bridge: what a client may send instead of the exact results, and that nothing is ever done twice or mixed up.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NORMAL_END, unique, WAYS } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { promptFacts, quiet } from '../support/talk.ts'
import {
  type Called,
  type Result,
  TOOL_FINISH,
  ToolTalk,
  type Turned,
} from '../support/tool-talk.ts'
import { until } from '../support/until.ts'

const read = (path: string) => ({ name: 'Read', arguments: { path } })
const SCRIPT = {
  runs: [
    // A whole transcript with results: what the agent says to it ends the story.
    {
      match: '=== (?:result of tool call|tool call)',
      steps: [{ init: true }, { delta: 'afresh' }, { result: true }],
    },
    {
      match: 'two files',
      steps: [
        { init: true },
        { delta: 'Both.' },
        { calls: [read('a'), read('b')] },
        { delta: 'a=$RESULT1 b=$RESULT2' },
        { result: true },
      ],
    },
    {
      match: 'five rounds',
      steps: [
        { init: true },
        ...['1', '2', '3', '4', '5'].map((path) => ({ call: read(path) })),
        { delta: 'five: $RESULT' },
        { result: true },
      ],
    },
    {
      match: 'bare calls',
      steps: [
        { init: true },
        { calls: [{ name: 'Read' }, read('b')] },
        { delta: 'done' },
        { result: true },
      ],
    },
    {
      match: 'slow file',
      steps: [
        { init: true },
        { call: read('a') },
        { waitFile: '$FILE' },
        { delta: 'it is $RESULT' },
        { result: true },
      ],
    },
    {
      match: 'one file',
      steps: [{ init: true }, { call: read('a') }, { delta: 'it is $RESULT' }, { result: true }],
    },
    { steps: [{ init: true }, { delta: 'plain' }, { result: true }] },
  ],
}

const results = (calls: readonly Called[]): Result[] =>
  calls.map(({ id, input }) => ({ id, text: `text of ${String(input.path)}` }))

describe.each(['acp', 'print'])('on %s', (backend) => {
  let service: Service
  const folder = mkdtempSync(join(tmpdir(), 'bridge-odd-'))
  const go = join(folder, 'go')
  beforeAll(async () => {
    const script: object = JSON.parse(JSON.stringify(SCRIPT).replace('$FILE', go))
    service = await startService({ script, settings: { backend, concurrency: 3 } })
  }, within(30_000))
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  const prompts = (mark: string): string[] =>
    promptFacts(service).flatMap(({ text }) => (text.includes(mark) ? [text] : []))

  const open = async (
    what: string,
    way: (typeof WAYS)[number] = { api: 'messages', stream: true },
  ): Promise<{ talk: ToolTalk; calls: readonly Called[]; mark: string }> => {
    const mark = unique(what)
    const talk = new ToolTalk(service, { way, tools: ['Read'], id: mark })
    const { calls, finish, error } = await talk.say(mark)
    expect({ finish, error }).toEqual({ finish: TOOL_FINISH[way.api], error: undefined })
    return { talk, calls, mark }
  }

  test.each(WAYS)('two calls go out together, their results come in any order: %o', async (way) => {
    const { talk, calls, mark } = await open('two files', way)
    expect(calls.map(({ input }) => input.path)).toEqual(['a', 'b'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    const answered = await talk.answer(results(calls).toReversed())
    expect(answered.text).toBe('a=text of a b=text of b')
    expect(answered.finish).toBe(NORMAL_END[way.api])
    expect(prompts(mark)).toHaveLength(1)
  })

  test.each(WAYS)('F62: five rounds are one run with one prompt: %o', async (way) => {
    const opened = await open('five rounds', way)
    let { calls } = opened
    for (let round = 2; round <= 5; round += 1) {
      const next = await opened.talk.answer(results(calls))
      expect({ start: next.start, calls: next.calls.length }).toEqual({
        start: 'resumed',
        calls: 1,
      })
      ;({ calls } = next)
    }
    expect((await opened.talk.answer(results(calls))).text).toBe('five: text of 5')
    expect(prompts(opened.mark)).toHaveLength(1)
  })

  test('an interrupt note alone lets the run go on; a refusal of the user is a result like any other', async () => {
    const { talk, calls, mark } = await open('one file')
    const [{ id } = { id: '' }] = calls
    const answered = await talk.answer([{ id, text: 'refused', isError: true }], {
      beside: '[Request interrupted by user for tool use]',
    })
    expect(answered.start).toBe('resumed')
    expect(answered.text).toBe('it is refused')
    expect(prompts(mark)).toHaveLength(1)
  })

  test('what the client adds beside the results reaches Cursor with them', async () => {
    const { talk, calls } = await open('one file')
    const beside = '<system-reminder>The file was changed.</system-reminder>'
    const answered = await talk.answer(results(calls), { beside })
    expect(answered.text).toContain('it is text of a')
    expect(answered.text).toContain('The file was changed.')
  })

  const oneFile: readonly (readonly [
    string,
    (talk: ToolTalk, calls: readonly Called[]) => Promise<{ text: string; start: string }>,
  ])[] = [
    [
      'text of the user beside the results',
      (talk, calls) => talk.answer(results(calls), { beside: 'and hurry' }),
    ],
    [
      'an interrupt note and new text',
      (talk, calls) => {
        const beside = '[Request interrupted by user for tool use]\nno, the other one'
        return talk.answer(results(calls), { beside })
      },
    ],
    ['a foreign id', (talk, [call]) => talk.answer([{ id: `${call?.id ?? ''}x`, text: 'x' }])],
    [
      'a foreign id besides',
      (talk, calls) => talk.answer([...results(calls), { id: 'toolu_x', text: 'x' }]),
    ],
    ['the same id twice', (talk, calls) => talk.answer([...results(calls), ...results(calls)])],
    [
      'a history that was cut',
      (talk, calls) => {
        talk.messages = talk.messages.slice(1)
        return talk.answer(results(calls))
      },
    ],
    [
      'a history that was rewritten (F59)',
      (talk, calls) => {
        talk.messages = [
          { role: 'user', content: unique('one file, in short') },
          ...talk.messages.slice(1),
        ]
        return talk.answer(results(calls))
      },
    ],
    [
      'another model',
      (talk, calls) => {
        talk.body = { model: 'sonnet-4.5' }
        return talk.answer(results(calls))
      },
    ],
    [
      'fewer tools',
      (talk, calls) => {
        talk.tools = ['Edit']
        return talk.answer(results(calls))
      },
    ],
  ]
  test.each(oneFile)('afresh with the whole transcript: %s', async (_name, send) => {
    const { talk, calls } = await open('one file')
    const before = promptFacts(service).length
    const answered = await send(talk, calls)
    expect(answered.text).toBe('afresh')
    expect(answered.start).not.toBe('resumed')
    const [prompt] = promptFacts(service).slice(before)
    expect(prompt?.text).toContain('=== tool call')
    await until('the parked run to be gone', within(5_000), async () => {
      return (await service.metric('cursor_adapter_parked_calls')) === 0
    })
  })

  test('results that are not all there begin afresh, and the others are not waited for', async () => {
    const { talk, calls, mark } = await open('two files')
    const answered = await talk.answer(results(calls).slice(0, 1))
    expect(answered).toMatchObject({ text: 'afresh', error: undefined, calls: [] })
    expect(prompts(mark)).toHaveLength(2)
  })

  test('a new question instead of results ends the waiting run (F60)', async () => {
    const { talk, mark } = await open('one file')
    const answered = await talk.say('never mind')
    expect(answered.text).toBe('afresh')
    const [, second] = prompts(mark)
    expect(second).toContain('never mind')
    // The new run does not wait until the old one's agent is gone.
    await until('the parked run to be gone', within(5_000), async () => {
      return (await service.metric('cursor_adapter_parked_calls')) === 0
    })
  })

  test('the same results twice at once: one run, the same bytes, each call answered once', async () => {
    const way = { api: 'chat', stream: false } as const
    const { talk, calls, mark } = await open('slow file', way)
    const twin = new ToolTalk(service, { way, tools: ['Read'], id: mark })
    twin.messages = [...talk.messages]
    const joined = 'cursor_adapter_retries_total{how="joined"}'
    const before = (await service.metric(joined)) ?? 0
    const both = [talk.answer(results(calls)), twin.answer(results(calls))]
    await until('the second to have joined', within(5_000), async () => {
      return (await service.metric(joined)) === before + 1
    })
    writeFileSync(go, '')
    const answers = await Promise.all(both)
    expect(answers.map(({ text }) => text)).toEqual(['it is text of a', 'it is text of a'])
    expect(answers.map(({ start }) => start).toSorted()).toEqual(['joined', 'resumed'])
    expect(prompts(mark)).toHaveLength(1)
  })

  test('the conversation goes on after its tools in the same session, with the new words only', async () => {
    const { talk, calls, mark } = await open('one file')
    await talk.answer(results(calls))
    await quiet(service)
    const before = promptFacts(service).length
    const third = await talk.say('thanks')
    expect(third).toMatchObject({ text: 'plain', start: 'resumed' })
    const [prompt] = promptFacts(service).slice(before)
    expect(prompt?.text).toContain('thanks')
    expect(prompt?.text).not.toContain(mark)
  })

  test('F56: a main turn and its sub-agent share one id, and each gets its own results', async () => {
    const id = unique('shared')
    const talks = ['one file, main', 'one file, sub'].map((what) => ({
      what: unique(what),
      talk: new ToolTalk(service, {
        way: { api: 'messages', stream: true },
        tools: ['Read'],
        headers: { 'x-claude-code-session-id': id },
      }),
    }))
    const [main, sub] = await Promise.all(talks.map(({ talk, what }) => talk.say(what)))
    const answer = (index: number, turn: Turned | undefined): Promise<Turned> | undefined => {
      const [call] = turn?.calls ?? []
      return talks[index]?.talk.answer([{ id: call?.id ?? '', text: `for ${index}` }])
    }
    const [first, second] = await Promise.all([answer(1, sub), answer(0, main)])
    expect([first, second]).toMatchObject([
      { text: 'it is for 1', start: 'resumed' },
      { text: 'it is for 0', start: 'resumed' },
    ])
  })

  test('F31: calls of one reply have index, id, type and name, and arguments that are JSON', async () => {
    const { talk, calls } = await open('bare calls', { api: 'chat', stream: true })
    expect(calls).toMatchObject([
      { name: 'Read', input: {} },
      { name: 'Read', input: { path: 'b' } },
    ])
    expect((await talk.answer(results(calls))).text).toBe('done')
  })

  test('a summary that the client asks for meanwhile leaves the waiting run alone', async () => {
    const { talk, calls, mark } = await open('one file')
    const asking = new ToolTalk(service, {
      way: { api: 'messages', stream: true },
      tools: ['Read'],
      id: mark,
    })
    asking.messages = [...talk.messages, ...talk.resultMessages(results(calls))]
    const summary = await asking.say(
      'Your task is to create a detailed summary of the conversation',
    )
    expect(summary).toMatchObject({ text: 'afresh', calls: [] })
    expect(await talk.answer(results(calls))).toMatchObject({
      text: 'it is text of a',
      start: 'resumed',
    })
  })
})
