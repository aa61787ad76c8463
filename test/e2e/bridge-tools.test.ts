// Mode bridge: which tools Cursor is offered, which it must call, and what it is told of the client's machine.
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isObject } from '../../src/lib/json.ts'
import { unique, WAYS } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { promptFacts } from '../support/talk.ts'
import {
  type Called,
  type Result,
  TOOL_FINISH,
  ToolTalk,
  type ToolTalkInit,
} from '../support/tool-talk.ts'
import { until } from '../support/until.ts'

const STREAM = { api: 'messages', stream: true } as const
const call = (name: string, args: object = {}) => ({ call: { name, arguments: args } })
const AFRESH = {
  match: '=== (?:result of tool call|tool call)',
  steps: [{ init: true }, { delta: 'afresh' }, { result: true }],
}
const played = (...steps: readonly object[]) => [{ init: true }, ...steps, { result: true }]
const results = (calls: readonly Called[], text = 'text'): Result[] =>
  calls.map(({ id }) => ({ id, text }))

let service: Service | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

describe.each(['acp', 'print'])('on %s', (backend) => {
  async function start(runs: readonly object[], options: ServiceOptions = {}): Promise<Service> {
    const settings = { backend, 'pool.warm': 0, ...options.settings }
    service = await startService({ script: { runs }, ...options, settings })
    return service
  }

  const talkTo = (of: Service, init: Partial<ToolTalkInit> = {}): ToolTalk =>
    new ToolTalk(of, { way: STREAM, tools: ['Read', 'Edit'], id: unique('talk'), ...init })

  const listed = (of: Service): unknown[] =>
    of.journal().flatMap((fact) => (fact.event === 'mcp-list' ? [fact.tools] : []))

  test('any name comes back as the client wrote it, with its arguments', async () => {
    const names = ['read.file', 'mcp__srv__do it', 'mit Umlaut ä', `x${'y'.repeat(90)}`, 'a/b:c']
    const of = await start([{ steps: played({ callAll: true }) }])
    of.setScript({ runs: [{ steps: played({ delta: 'no tool' }) }] })
    const talk = talkTo(of, { tools: names })
    await talk.say('hello')
    const [offered] = listed(of)
    expect(offered).toHaveLength(names.length)
    const calls = (Array.isArray(offered) ? offered : []).map((name) => ({
      name,
      arguments: { n: 1e21, s: '"\u2028' },
    }))
    of.setScript({ runs: [AFRESH, { steps: played({ calls }, { delta: '$RESULT1' }) }] })
    const second = talkTo(of, { tools: names })
    const asked = await second.say('hello again')
    expect(asked.calls.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    for (const { input, id } of asked.calls) {
      expect(input).toEqual({ n: 1e21, s: '"\u2028' })
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }
    expect((await second.answer(results(asked.calls))).text).toBe('text')
  })

  test.each(WAYS)('parallel calls switched off: one at a time, in their order: %o', async (way) => {
    const reads = ['1', '2', '3'].map((n) => ({ name: 'Read', arguments: { n } }))
    const of = await start([
      AFRESH,
      { steps: played({ calls: reads }, { delta: '$RESULT1$RESULT2$RESULT3' }) },
    ])
    const off =
      way.api === 'messages'
        ? { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }
        : { parallel_tool_calls: false }
    const talk = talkTo(of, { way, body: off })
    let turn = await talk.say('hello')
    const seen: unknown[] = []
    while (turn.calls.length > 0) {
      expect(turn.finish).toBe(TOOL_FINISH[way.api])
      expect(turn.calls).toHaveLength(1)
      seen.push(turn.calls[0]?.input.n)
      turn = await talk.answer(results(turn.calls, String(turn.calls[0]?.input.n)))
    }
    expect(seen.map(String).toSorted((one, other) => one.localeCompare(other))).toEqual([
      '1',
      '2',
      '3',
    ])
    expect(turn.text).toBe('123')
    expect(promptFacts(of)).toHaveLength(1)
  })

  describe('tool_choice', () => {
    test.each(WAYS)('none offers no tools: %o', async (way) => {
      const of = await start([{ steps: played({ delta: 'in words' }) }])
      const none = way.api === 'messages' ? { type: 'none' } : 'none'
      const talk = talkTo(of, {
        way,
        body: { tool_choice: none },
        headers: { 'x-cursor-mode': 'bridge' },
      })
      const heard = await talk.say('hello')
      expect(heard).toMatchObject({ text: 'in words', calls: [] })
      expect(listed(of)).toEqual([])
    })

    test.each(WAYS)('a demanded call that is made: %o', async (way) => {
      const of = await start([
        AFRESH,
        { match: 'insists on a tool call', steps: played(call('Read')) },
      ])
      const demand = way.api === 'messages' ? { type: 'any' } : 'required'
      const talk = talkTo(of, { way, body: { tool_choice: demand } })
      expect((await talk.say('hello')).calls).toMatchObject([{ name: 'Read' }])
    })

    test('a demanded call that is not made is asked for once more', async () => {
      const of = await start([
        {
          match: 'You ended your turn without',
          steps: played(call('Edit', { a: 1 }), { delta: 'done' }),
        },
        { steps: played({ delta: 'I would rather talk. ' }) },
      ])
      const talk = talkTo(of, { body: { tool_choice: { type: 'tool', name: 'Edit' } } })
      const asked = await talk.say('hello')
      expect(asked.calls).toMatchObject([{ name: 'Edit', input: { a: 1 } }])
      expect(promptFacts(of)).toHaveLength(2)
      talk.body = {}
      expect((await talk.answer(results(asked.calls))).text).toBe('done')
    })

    test('a demanded call that is never made is an error that says so', async () => {
      const of = await start([{ steps: played({ delta: 'words ' }) }])
      const talk = talkTo(of, { body: { tool_choice: { type: 'any' } } })
      const heard = await talk.say('hello')
      expect(heard.raw).toContain('tool_choice demands a tool call')
      expect(heard.error).toBeDefined()
      expect(promptFacts(of)).toHaveLength(2)
    })

    test('another tool than the named one is sent back to Cursor', async () => {
      const of = await start([
        AFRESH,
        { steps: played(call('Read'), call('Edit', { said: '1' }), { delta: '$RESULT1' }) },
      ])
      const talk = talkTo(of, { body: { tool_choice: { type: 'tool', name: 'Edit' } } })
      const asked = await talk.say('hello')
      expect(asked.calls.map(({ name }) => name)).toEqual(['Edit'])
      talk.body = {}
      expect((await talk.answer(results(asked.calls))).text).toContain('insists on')
    })

    test('a tool that is not there is refused', async () => {
      const of = await start([{ steps: played() }])
      const talk = talkTo(of, { body: { tool_choice: { type: 'tool', name: 'Nothing' } } })
      expect(await talk.say('hello')).toMatchObject({ status: 400 })
    })
  })

  describe('tools that come in the middle', () => {
    const SEARCH = [
      AFRESH,
      {
        steps: played(call('Search'), { waitTool: 'New' }, call('New'), { delta: 'new: $RESULT2' }),
      },
    ]

    test('Cursor hears of them and the same run calls them', async () => {
      const of = await start(SEARCH)
      const talk = talkTo(of, { tools: ['Search'] })
      const asked = await talk.say('hello')
      talk.tools = ['Search', 'New']
      const found = await talk.answer(results(asked.calls, 'Tools found: New'))
      expect(found.calls.map(({ name }) => name)).toEqual(['New'])
      expect((await talk.answer(results(found.calls))).text).toBe('new: text')
      expect(promptFacts(of)).toHaveLength(1)
    })

    test('a CLI that does not list anew gets a fresh session', async () => {
      const of = await start(SEARCH, { env: { CURSOR_ADAPTER_DEMO_QUIRKS: 'no-relist' } })
      const talk = talkTo(of, { tools: ['Search'] })
      const asked = await talk.say('hello')
      talk.tools = ['Search', 'New']
      expect((await talk.answer(results(asked.calls))).text).toBe('afresh')
      expect(listed(of)).toContainEqual(['Search', 'New'])
    })
  })

  test('a CLI that never asks for the tools fails, and says so', async () => {
    const of = await start([{ steps: played({ delta: 'I have no tools' }) }], {
      env: { CURSOR_ADAPTER_DEMO_QUIRKS: 'ignores-mcp' },
    })
    const heard = await talkTo(of, { way: { api: 'chat', stream: false } }).say('hello')
    expect(heard.status).toBe(502)
    expect(heard.error).toMatchObject({ code: 'bridge_not_contacted' })
    const details: unknown = await (await fetch(`${of.url}/health/details`)).json()
    expect(details).toMatchObject({ bridge: { not_contacted: { backend } } })
  })

  describe('the client has a machine of its own', () => {
    const SYSTEM =
      '# Environment\n - Primary working directory: /home/u/project\n - Platform: darwin\n - Is a git repository: true'

    test('its facts stand at head and tail of the prompt, and no others', async () => {
      const of = await start([{ steps: played({ delta: 'ok' }) }])
      await talkTo(of, { system: SYSTEM }).say('hello')
      await talkTo(of).say('hello')
      const [told = '', untold = ''] = promptFacts(of).map(({ text }) => text)
      expect(told.match(/\/home\/u\/project/g)?.length).toBeGreaterThanOrEqual(3)
      expect(told).toContain('Platform: darwin')
      expect(untold).toContain('does not say where it works')
      expect(untold).not.toContain('Platform:')
    })

    test('a call that names our scratch folder is sent back three times, then it goes through', async () => {
      const wrong = call('Read', { file_path: '$SCRATCH/x/a.txt' })
      const of = await start([])
      const script = JSON.stringify({
        runs: [AFRESH, { steps: played(wrong, wrong, wrong, wrong, { delta: '$RESULT1' }) }],
      })
      of.setScript(JSON.parse(script.replaceAll('$SCRATCH', of.scratchRoot)))
      const talk = talkTo(of, { system: SYSTEM })
      const asked = await talk.say('hello')
      expect(asked.calls.map(({ input }) => input.file_path)).toEqual([
        join(of.scratchRoot, 'x/a.txt'),
      ])
      const answered = await talk.answer(results(asked.calls))
      expect(answered.text).toContain('"file_path"')
      expect(answered.text).toContain('/home/u/project')
      expect(await of.metric('cursor_adapter_scratch_path_violations_total')).toBe(4)
      expect(await of.metric('cursor_adapter_scratch_path_corrections_total')).toBe(3)
      await until('its line in the log', within(5000), () => {
        return of.stderr().match(/named the scratch folder/g)?.length === 1
      })
    })
  })

  test('each reply has its own usage: the whole conversation read, its own words written', async () => {
    const long = 'many words '.repeat(200)
    const of = await start([
      AFRESH,
      { steps: played({ delta: long }, call('Read'), { delta: 'ok' }) },
    ])
    const talk = talkTo(of)
    const asked = await talk.say('hello')
    const answered = await talk.answer(results(asked.calls))
    const [first, second] = [asked, answered].map(({ reply }) =>
      isObject(reply.usage) ? reply.usage : {},
    )
    expect(first?.output_tokens).toBeGreaterThan(300)
    expect(second?.output_tokens).toBeLessThan(10)
    expect(Number(second?.input_tokens)).toBeGreaterThan(Number(first?.input_tokens) + 300)
  })

  test('thinking before and after a call, signatures and all, comes back without harm', async () => {
    const of = await start([
      AFRESH,
      {
        steps: played(
          { thinking: 'first' },
          { thinkingEnd: true },
          call('Read'),
          { thinking: 'second' },
          { thinkingEnd: true },
          { delta: 'done' },
        ),
      },
    ])
    const talk = talkTo(of, { body: { thinking: { type: 'enabled', budget_tokens: 1024 } } })
    const asked = await talk.say('hello')
    expect(asked.thinking).toBe('first')
    expect(await talk.answer(results(asked.calls))).toMatchObject({
      thinking: 'second',
      text: 'done',
      start: 'resumed',
    })
  })

  test('the second conversation with the same tools starts warm', async () => {
    const of = await start([AFRESH, { steps: played(call('Read'), { delta: '$RESULT' }) }], {
      settings: { 'pool.warm': 1 },
    })
    const first = talkTo(of)
    const asked = await first.say('one')
    await first.answer(results(asked.calls))
    const ready = 'cursor_adapter_children{state="warm"}'
    await until('a spare', within(10_000), async () => (await of.metric(ready)) === 1)
    const listings = listed(of).length
    const next = talkTo(of)
    const second = await next.say('two')
    expect(second.start).toBe('warm')
    // On ACP the session was open and its tools were listed before anybody asked.
    if (backend === 'acp') expect(listed(of).length - listings).toBeLessThanOrEqual(1)
    expect((await next.answer(results(second.calls, 'two'))).text).toBe('two')
  })
})
