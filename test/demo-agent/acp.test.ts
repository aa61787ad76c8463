// ACP mode of the demo agent on the wire: shapes, codes and warts that hosts of the CLI reported.
import { expect, test } from 'vitest'
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { until } from '../support/until.ts'
import { type AgentCall, linesOf, type Running, startAgent } from './run-agent.ts'

const CWD = '/tmp'
const PICKER = { _meta: { parameterizedModelPicker: true } }

class Talk {
  readonly agent: Running
  #id = 0
  constructor(call: AgentCall = {}) {
    this.agent = startAgent({ args: ['--model', 'auto', 'acp'], ...call })
  }

  get messages(): readonly JsonObject[] {
    return linesOf(this.agent.stdout())
  }

  send(message: JsonObject): void {
    this.agent.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  start(method: string, params: JsonObject): number {
    const id = this.#id
    this.#id += 1
    this.send({ id, method, params })
    return id
  }

  async answer(id: number): Promise<JsonObject> {
    const found = (): JsonObject | undefined =>
      this.messages.find((one) => one.id === id && !('method' in one))
    await until(`the answer ${id}`, 10_000, () => found() !== undefined)
    return found() ?? {}
  }

  call(method: string, params: JsonObject = {}): Promise<JsonObject> {
    return this.answer(this.start(method, params))
  }

  async open(clientCapabilities: JsonObject = {}): Promise<string> {
    await this.call('initialize', { protocolVersion: 1, clientCapabilities })
    const answer = await this.call('session/new', { cwd: CWD, mcpServers: [] })
    return stringAt(objectAt(answer, 'result') ?? {}, 'sessionId') ?? ''
  }

  prompt(sessionId: string, text: string): number {
    return this.start('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  }

  updates(kind: string): readonly JsonObject[] {
    return this.messages.flatMap((one) => {
      const update = objectAt(objectAt(one, 'params') ?? {}, 'update')
      return update?.sessionUpdate === kind ? [update] : []
    })
  }

  text(kind = 'agent_message_chunk'): string {
    const parts = this.updates(kind).map((one) => objectAt(one, 'content') ?? {})
    return parts.map((part) => stringAt(part, 'text') ?? '').join('')
  }
}

const scripted = (steps: readonly unknown[], more: JsonObject = {}): AgentCall => ({
  script: { runs: [{ steps }], ...more },
})

test('it says what it can without a login, and ignores lines that are no message', async () => {
  const talk = new Talk({ env: { LOGIN: 'missing' } })
  talk.agent.child.stdin.write('not json\n[]\n{"id":9}\n')
  const answer = await talk.call('initialize', { protocolVersion: 1 })
  expect(objectAt(answer, 'result')).toMatchObject({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
  })
  const refused = await talk.call('session/new', { cwd: CWD, mcpServers: [] })
  expect(refused.error).toMatchObject({ code: -32000, message: 'Authentication required' })
  expect((await talk.call('authenticate', { methodId: 'cursor_login' })).error).toMatchObject({
    code: -32602,
    data: { message: expect.stringContaining('https://') },
  })
  expect(talk.messages).toHaveLength(3)
})

test.each<[string, string, JsonObject, JsonObject]>([
  ['an unknown method', 'session/fork', {}, { code: -32601 }],
  [
    'an unknown session',
    'session/prompt',
    { sessionId: 'x', prompt: [] },
    { code: -32602, message: 'Session "x" not found' },
  ],
  ['a session without a list of servers', 'session/new', { cwd: CWD }, { code: -32602 }],
])('%s is refused', async (_what, method, params, error) => {
  const talk = new Talk()
  await talk.open()
  expect((await talk.call(method, params)).error).toMatchObject(error)
})

test.each([
  ['bracketed variants', {}, 'default[]', ['mode', 'model']],
  ['base ids', PICKER, 'default', ['mode', 'model']],
])('models are %s', async (_what, capabilities, current, options) => {
  const talk = new Talk()
  await talk.call('initialize', { protocolVersion: 1, clientCapabilities: capabilities })
  const result = objectAt(await talk.call('session/new', { cwd: CWD, mcpServers: [] }), 'result')
  expect(result?.models).toMatchObject({ currentModelId: current })
  const ids = (arrayAt(result ?? {}, 'configOptions') ?? []).map((one) => isObject(one) && one.id)
  expect(ids).toEqual(options)
})

test('options change with the model, and the answer shows the old value of what was set', async () => {
  const talk = new Talk()
  const sessionId = await talk.open(PICKER)
  const set = (configId: string, value: string): Promise<JsonObject> =>
    talk.call('session/set_config_option', { sessionId, configId, value })
  const answer = objectAt(await set('model', 'claude-opus-5'), 'result') ?? {}
  const options = (arrayAt(answer, 'configOptions') ?? []).filter(isObject)
  expect(options.map(({ id }) => id)).toEqual(['mode', 'model', 'thinking', 'effort'])
  expect(options[1]).toMatchObject({ currentValue: 'default' })
  expect((await set('fast', 'true')).error).toMatchObject({
    code: -32602,
    message: 'Unknown model config option: fast',
  })
  expect((await set('model', 'gpt-9')).error).toMatchObject({
    code: -32602,
    message: 'Invalid model value: gpt-9',
  })
})

test('a script is played as updates, a failed tool ends completed, an error is text', async () => {
  const id = 'c\n1'
  const result = { error: { error: 'no such file' } }
  const talk = new Talk(
    scripted([
      { init: true },
      { thinking: 'hm' },
      { delta: 'a' },
      { recap: 'm' },
      { toolStart: { kind: 'readToolCall', id, args: { path: '/x' } } },
      { toolEnd: { kind: 'readToolCall', id, args: { path: '/x' }, result } },
      { update: { sessionUpdate: 'plan', entries: [] } },
      { result: { is_error: true, result: 'T: [resource_exhausted] Error' } },
    ]),
  )
  const session = await talk.open()
  const answer = await talk.answer(talk.prompt(session, 'hi'))
  expect(answer.result).toEqual({ stopReason: 'end_turn' })
  expect(talk.text()).toBe('a\n\nError: T: [resource_exhausted] Error')
  expect(talk.text('agent_thought_chunk')).toBe('hm')
  expect(talk.updates('tool_call')).toMatchObject([{ toolCallId: id, kind: 'read', rawInput: {} }])
  expect(talk.updates('tool_call_update').at(-1)).toMatchObject({
    status: 'completed',
    rawOutput: { error: 'no such file' },
  })
  expect(talk.updates('plan')).toHaveLength(1)
})

test('a cancel is answered at once, what comes late comes after, a second prompt steers', async () => {
  const talk = new Talk(scripted([{ late: 'LATE' }, { delta: 'x' }, { hang: true }]))
  const sessionId = await talk.open()
  const first = talk.prompt(sessionId, 'one')
  await until('the first words', 5_000, () => talk.text() === 'x')
  const second = talk.prompt(sessionId, 'two')
  await until('the second prompt', 5_000, () =>
    talk.agent.journal().some((one) => one.steering === true),
  )
  talk.send({ method: 'session/cancel', params: { sessionId } })
  expect((await talk.answer(first)).result).toEqual({ stopReason: 'cancelled' })
  expect((await talk.answer(second)).result).toEqual({ stopReason: 'cancelled' })
  await until('the late words', 5_000, () => talk.text() === 'xLATE')
})

test('its own requests are numbered from 0 and wait for their answer', async () => {
  const talk = new Talk(
    scripted([{ permission: { allowed: [{ delta: 'ran' }], rejected: [{ delta: 'not' }] } }]),
  )
  const session = await talk.open()
  const prompt = talk.prompt(session, 'hi')
  const asked = (): JsonObject | undefined =>
    talk.messages.find((one) => one.method === 'session/request_permission')
  await until('the question', 5_000, () => asked() !== undefined)
  expect(asked()?.id).toBe(0)
  talk.send({ id: 0, result: { outcome: { outcome: 'selected', optionId: 'allow-once' } } })
  await talk.answer(prompt)
  expect(talk.text()).toBe('ran')
})

test('history is replayed before a load is answered; what was never prompted cannot be loaded', async () => {
  const talk = new Talk()
  const sessionId = await talk.open()
  const load = { sessionId, cwd: CWD, mcpServers: [] }
  expect((await talk.call('session/load', load)).error).toMatchObject({ code: -32602 })
  await talk.answer(talk.prompt(sessionId, 'reply with: OK'))
  expect(talk.text()).toBe('OK')
  const id = talk.start('session/load', load)
  await talk.answer(id)
  expect(talk.text('user_message_chunk')).toBe('reply with: OK')
  const at = talk.messages.findIndex((one) => one.id === id && !('method' in one))
  expect(at).toBe(talk.messages.length - 1)
  expect(objectAt(await talk.call('session/list'), 'result')).toMatchObject({
    sessions: [{ sessionId }],
  })
})

test('the end of its input ends it, SIGTERM is exit code 143', async () => {
  const [one, two] = [new Talk(), new Talk()]
  await Promise.all([one.open(), two.open()])
  one.agent.child.stdin.end()
  two.agent.child.kill('SIGTERM')
  expect(await one.agent.ended).toMatchObject({ code: 0, signal: null })
  expect(await two.agent.ended).toMatchObject({ code: 143, signal: null })
})

test('steps before an answer can delay it, fail it, change it', async () => {
  const acp = {
    'session/new': [{ fail: { code: -32603, message: 'Internal error' } }],
    initialize: [{ sleep: 20 }, { answer: { protocolVersion: 2 } }],
  }
  const talk = new Talk(scripted([], { acp }))
  const answer = await talk.call('initialize', {})
  expect(answer.result).toMatchObject({ protocolVersion: 2 })
  const refused = await talk.call('session/new', { cwd: CWD, mcpServers: [] })
  expect(refused.error).toMatchObject({ code: -32603 })
})
