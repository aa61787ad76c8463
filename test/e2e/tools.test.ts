// Tools that Cursor ran itself, as clients of the running service see them: once, in order, and as past work later on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  arrayAt,
  isObject,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
} from '../../src/lib/json.ts'
import { ask, type Heard, NORMAL_END, send, unique, WAYS } from '../support/ask.ts'
import { total } from '../support/series.ts'
import { OVER_ACP, ROOT, type Service, startService } from '../support/service.ts'
import { delta, OK, run, type Step } from '../support/steps.ts'
import { until } from '../support/until.ts'

const started = (kind: string, id: string, args: object): Step => ({
  toolStart: { kind, id, args },
})
const ended = (kind: string, id: string, result: object, args: object = {}): Step => ({
  toolEnd: { kind, id, args, result },
})
const EDIT = { path: 'a.txt', streamContent: 'new' }
const DIFF = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new'
const EDITED = {
  success: { message: 'Updated.', linesAdded: 1, linesRemoved: 1, diffString: DIFF },
}
const DONE = OVER_ACP
  ? 'Edited a.txt (+1 -0 lines)'
  : 'Updated. (+1 -1 lines)\n@@ -1 +1 @@\n-old\n+new'
/** ACP names the tool of an MCP server, not always the server. */
const CLICKED = OVER_ACP ? 'mcp__unknown__click' : 'mcp__pw__click'
const CLICK = { name: 'pw-click', args: { ref: 'e1' }, providerIdentifier: 'pw', toolName: 'click' }

const FOLDER = mkdtempSync(join(tmpdir(), 'tools-test-'))
/** Until this file exists, the slow call goes on. */
const GO_ON = join(FOLDER, 'go-on')

const RUNS = [
  {
    match: '^three #',
    steps: [{ play: join(ROOT, 'test/fixtures/transcripts/05-parallel-tasks.jsonl') }],
  },
  run(
    'edit',
    { thinking: 'Hm.' },
    { thinkingEnd: true },
    delta('I edit.'),
    { recap: 'm1' },
    started('editToolCall', 'e\n1', EDIT),
    { appendFile: 'done.txt', text: 'x' },
    ended('editToolCall', 'e\n1', EDITED, EDIT),
    delta('Edited.'),
    OK,
  ),
  run(
    'click',
    started('mcpToolCall', 'c1', CLICK),
    ended('mcpToolCall', 'c1', { success: { content: [{ text: { text: 'Clicked.' } }] } }),
    delta('ok'),
    OK,
  ),
  run(
    'tasks',
    ...['t1', 't2', 't3'].map((id) => started('taskToolCall', id, { description: id })),
    ...['t2', 't3', 't1'].map((id) => ended('taskToolCall', id, { success: {} })),
    delta('Summary.'),
    OK,
  ),
  run('open', started('shellToolCall', 's1', { command: 'npm start' }), delta('ok'), OK),
  run(
    'slow',
    started('shellToolCall', 's1', { command: 'sleep' }),
    { waitFile: GO_ON },
    ended('shellToolCall', 's1', { success: { exitCode: 0, stdout: 'awake' } }),
    delta('ok'),
    OK,
  ),
  { match: 'What was done', steps: [{ init: true }, delta('ok'), OK] },
]
/** Blocks of a message, items of a response. */
const blocks = (heard: Heard, pattern: RegExp): JsonObject[] =>
  (arrayAt(heard.reply, 'content') ?? arrayAt(heard.reply, 'output') ?? [])
    .filter(isObject)
    .filter((block) => pattern.test(stringAt(block, 'type') ?? ''))
const calls = (heard: Heard): JsonObject[] =>
  blocks(heard, /^server_tool_use$|^mcp_call$/).map((call) =>
    call.type === 'mcp_call' ? { ...call, input: parseJson(String(call.arguments)) } : call,
  )
const outputs = (heard: Heard): unknown[] => calls(heard).map(({ output }) => output)
const results = (heard: Heard): JsonObject[] => blocks(heard, /_tool_result$/)
const stdoutOf = (block: JsonObject): string =>
  stringAt(objectAt(block, 'content') ?? {}, 'stdout') ?? ''

let service: Service
let hiding: Service
beforeAll(async () => {
  service = await startService({ script: { runs: RUNS }, settings: { mode: 'agent' } })
  hiding = await startService({
    script: { runs: RUNS },
    settings: { mode: 'agent', 'tools.show': 'off' },
  })
})
afterAll(async () => {
  await service.stop()
  await hiding.stop()
  rmSync(FOLDER, { recursive: true, force: true })
})

describe('shown once, run by nobody else', () => {
  test.each(WAYS)(
    'F25, F27: an edit of Cursor is no order to a client with such a tool ($api, stream $stream)',
    async (way) => {
      const schema = { type: 'object', properties: { filePath: { type: 'string' } } }
      const tool =
        way.api === 'chat'
          ? { type: 'function', function: { name: 'edit', description: '', parameters: schema } }
          : {
              type: way.api === 'responses' ? 'function' : undefined,
              name: 'edit',
              input_schema: schema,
              parameters: schema,
            }
      const heard = await ask(service, way, unique('edit'), { tools: [tool] })
      expect(heard.text).toBe('I edit.Edited.')
      expect(heard.finish).toBe(NORMAL_END[way.api])
      expect(heard.raw).not.toMatch(/"type":"tool_use"|"tool_calls":\[|"type":"function_call/)
      if (way.api === 'chat') {
        expect(heard.thinking).toMatch(/^Hm\.\n\[Edit a\.txt: success(?:, \d+ ms)?\]\n$/)
        return
      }
      // ACP tells the texts of an edit at its end only, and no diff.
      const input = OVER_ACP ? {} : { new_string: 'new' }
      expect(calls(heard)).toMatchObject([
        { name: 'Edit', input: { file_path: 'a.txt', ...input } },
      ])
      const shown = way.api === 'responses' ? outputs(heard) : results(heard).map(stdoutOf)
      expect(shown).toEqual([DONE])
    },
  )

  test.each(WAYS)('F28: an MCP call by its own name ($api, stream $stream)', async (way) => {
    const heard = await ask(service, way, unique('click'))
    if (way.api === 'chat')
      expect(heard.thinking).toMatch(/^\[mcp__\w+__click: success(?:, \d+ ms)?\]\n$/)
    else expect(calls(heard)).toMatchObject([{ name: CLICKED, input: { ref: 'e1' } }])
  })

  test.each(WAYS)('a call that never ends is closed ($api, stream $stream)', async (way) => {
    const heard = await ask(service, way, unique('open'))
    expect(heard.finish).toBe(NORMAL_END[way.api])
    if (way.api === 'chat') expect(heard.thinking).toBe('[Bash npm start: unfinished]\n')
    else if (way.api === 'responses') {
      expect(blocks(heard, /^mcp_call$/)).toMatchObject([{ status: 'failed', output: null }])
    } else expect(results(heard)).toMatchObject([{ content: { return_code: 1 } }])
  })

  test('F23: thinking, tools and text are blocks of their own, in order', async () => {
    const heard = await ask(service, { api: 'messages', stream: true }, unique('edit'))
    expect(blocks(heard, /./).map((block) => block.type)).toEqual([
      'thinking',
      'text',
      'server_tool_use',
      'code_execution_tool_result',
      'text',
    ])
    expect(heard.text).toBe('I edit.Edited.')
  })
})

// ACP shows a sub-agent as a call without its words.
test.runIf(OVER_ACP).each(WAYS)(
  'F32: three at once, out of order ($api, stream $stream)',
  async (way) => {
    const heard = await ask(service, way, unique('tasks'))
    expect([heard.text, heard.finish]).toEqual(['Summary.', NORMAL_END[way.api]])
    if (way.api === 'chat') {
      expect(heard.thinking).toBe('[Tool Task: success]\n'.repeat(3))
      return
    }
    if (way.api === 'responses') {
      expect(calls(heard)).toHaveLength(3)
      return
    }
    const order = calls(heard).map(({ id }) => id)
    expect(new Set(order).size).toBe(3)
    const [first, second, third] = order
    expect(results(heard).map((block) => block.tool_use_id)).toEqual([second, third, first])
  },
)

// The words of sub-agents are told in print mode only; what ACP tells is tested above.
describe.skipIf(OVER_ACP)('sub-agents', () => {
  test.each(WAYS)('F32: three at once, out of order ($api, stream $stream)', async (way) => {
    const before = await toolCounts()
    const heard = await ask(service, way, unique('three'))
    expect(heard.text).toMatch(/^Starting three reviewers in parallel\.\s*Summary of the three/)
    expect(heard.text).not.toContain('Counting the test lines')
    const found = ['Error handling review', 'Test review', 'Naming review']
    if (way.api === 'chat') {
      const lines = heard.thinking.split('\n').filter((line) => line.startsWith('['))
      expect(lines.map((line) => /^\[Task (.*): success, \d\.\d s\]$/.exec(line)?.[1])).toEqual(
        found,
      )
    } else if (way.api === 'responses') {
      const names = calls(heard).map(({ input }) => (isObject(input) ? input.description : ''))
      expect(names).toEqual(found)
      expect(outputs(heard)[1]).toBe('- only one test file\n- no failure cases')
    } else {
      const names = new Map(
        calls(heard).map(({ id, input }) => [id, isObject(input) ? input.description : '']),
      )
      expect([...names.values()]).toEqual(['Naming review', 'Error handling review', 'Test review'])
      expect(results(heard).map((block) => names.get(block.tool_use_id))).toEqual(found)
      expect(results(heard).map(stdoutOf)[1]).toBe('- only one test file\n- no failure cases')
    }
    const after = await toolCounts()
    expect({ task: after.task - before.task, inner: after.inner - before.inner }).toEqual({
      task: 3,
      inner: 1,
    })
  })

  test('a client with an Agent tool sees them under that name', async () => {
    const tools = [{ name: 'Agent', input_schema: { type: 'object' } }]
    const way = { api: 'messages', stream: true } as const
    const heard = await ask(service, way, unique('three'), { tools })
    expect(calls(heard).map(({ name }) => name)).toEqual(['Agent', 'Agent', 'Agent'])
  })

  async function toolCounts(): Promise<{ readonly task: number; readonly inner: number }> {
    return {
      task: await total(service, 'tool_calls_total', { tool: 'Task', host: 'cursor' }),
      inner: await total(service, 'tool_calls_total', { tool: 'Bash', host: 'subagent' }),
    }
  }
})

test.each([true, false])(
  'shown blocks that come back are past work (stream %s)',
  async (stream) => {
    const way = { api: 'messages', stream } as const
    const heard = await ask(service, way, unique('edit'))
    const next = unique('What was done')
    const messages = [
      // Another beginning than the conversation it was: the agent is told everything.
      { role: 'user', content: unique('edit') },
      { role: 'assistant', content: heard.reply.content },
      { role: 'user', content: next },
    ]
    expect((await send(service, way, { messages })).status).toBe(200)
    const prompt = service.prompts().find((text) => text.includes(next)) ?? ''
    expect(prompt).toContain(
      [
        'I edit.',
        `[already done: Edit was run with file_path: a.txt${OVER_ACP ? '' : ', new_string: new'}]`,
        `[already done: Edit (a.txt) returned: ${DONE}]`,
        'Edited.',
      ].join('\n'),
    )
  },
)

test('a call is shown when it starts, not when it ends', async () => {
  const body = {
    model: 'auto',
    max_tokens: 10,
    stream: true,
    messages: [{ role: 'user', content: unique('slow') }],
  }
  const response = await service.post('/v1/messages', body)
  let seen = ''
  const read = (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) seen += decoder.decode(bytes, { stream: true })
  })()
  await until('the call to be shown', 10_000, () => seen.includes('"name":"Bash"'))
  expect(seen).not.toContain('_tool_result')
  writeFileSync(GO_ON, '')
  await read
  expect(seen).toContain('"stdout":"awake"')
})

test.each(WAYS)('tools.show off: no trace of them ($api, stream $stream)', async (way) => {
  const heard = await ask(hiding, way, unique('edit'))
  expect(heard.text).toBe('I edit.Edited.')
  expect(heard.thinking).toBe('Hm.')
  expect(heard.raw).not.toMatch(/server_tool_use"[^:]|_result|mcp_call|a\.txt/)
})
