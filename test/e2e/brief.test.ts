// The product brief, point by point: requirements, acceptance criteria, edge cases and limits, to the letter.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { arrayAt, isObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { dataOf } from '../contract/reassemble.ts'
import { agentOf, agents, allGone, flagOf, prompted } from '../support/agents.ts'
import { ask, type Heard, send, unique, WAYS } from '../support/ask.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import { total, totalIn } from '../support/series.ts'
import { type Service, startService } from '../support/service.ts'
import { OK, run, delta as say } from '../support/steps.ts'
import { isAlive, until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const MODEL = 'claude-sonnet-4-20250514'
const STREAM = { api: 'chat', stream: true } as const
const WHOLE = { api: 'chat', stream: false } as const

const script = {
  runs: [
    run('paced', say('Hel'), { sleep: 400 }, say('lo '), { sleep: 400 }, say('world'), OK),
    run('crash', { sleep: 100 }, { signal: 'SIGKILL' }),
    run('error', { stderr: 'Error: the gateway said no\n' }, { exit: 1 }),
    run('thoughtful', { thinking: 'let me see' }, { thinkingEnd: true }, say('42'), OK),
    { steps: [{ init: true }, say('hello back'), OK] },
  ],
}

const choiceOf = (chunk: ReturnType<typeof dataOf>) => {
  const [choice] = arrayAt(chunk, 'choices') ?? []
  return isObject(choice) ? choice : {}
}

describe('the brief', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script })
  })
  afterAll(() => service.stop())

  const hello = (more: object = {}) => ({
    model: MODEL,
    messages: [{ role: 'user', content: unique('hello') }],
    stream: true,
    ...more,
  })

  test('FR1: /v1/chat/completions takes model, messages and stream, and answers with chunks or with one object', async () => {
    const streamed = await service.post('/v1/chat/completions', hello())
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await streamed.text()).toMatch(/^(data: [^\n]+\n\n)+$/)
    const whole = await service.post('/v1/chat/completions', hello({ stream: false }))
    expect(whole.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await whole.json()).toMatchObject({
      id: expect.stringMatching(/./),
      object: 'chat.completion',
      model: MODEL,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'hello back' }, finish_reason: 'stop' },
      ],
      usage: { total_tokens: expect.any(Number) },
    })
  })

  test('FR2: a request starts the CLI headless with the model and stream-json, and gives it all messages', async () => {
    const mark = unique('history')
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: mark },
      { role: 'assistant', content: 'An earlier answer.' },
      { role: 'user', content: 'And now?' },
    ]
    await send(service, STREAM, { messages, model: 'gpt-5.2' })
    const agent = agentOf(service, mark)
    expect(agent.argv).toContain('-p')
    expect(flagOf(agent, '--output-format')).toBe('stream-json')
    expect(flagOf(agent, '--model')).toBe('gpt-5.2')
    const prompt = service.prompts().find((text) => text.includes(mark)) ?? ''
    const places = ['Be brief.', mark, 'An earlier answer.', 'And now?'].map((part) =>
      prompt.indexOf(part),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    await allGone('the agent', 5000, [agent.pid])
  })

  test('FR3: every chunk has id, object and a delta, the last one finish_reason stop', async () => {
    const { frames } = await ask(service, STREAM, unique('hello'), { model: MODEL })
    expect(frames.at(-1)?.data).toBe('[DONE]')
    const chunks = frames.slice(0, -1).map(dataOf)
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1)
    for (const chunk of chunks) {
      expect(chunk.object).toBe('chat.completion.chunk')
      expect(isObject(choiceOf(chunk).delta)).toBe(true)
    }
    const text = chunks.map(
      (chunk) => stringAt(objectAt(choiceOf(chunk), 'delta') ?? {}, 'content') ?? '',
    )
    expect(text.join('')).toBe('hello back')
    expect(chunks.map((chunk) => choiceOf(chunk).finish_reason ?? null).at(-1)).toBe('stop')
  })

  test('FR4, AC5: /v1/models lists what the CLI offers, in the OpenAI shape', async () => {
    const body: unknown = await (await fetch(`${service.url}/v1/models`)).json()
    expect(body).toMatchObject({ object: 'list' })
    const data = (isObject(body) && arrayAt(body, 'data')) || []
    for (const model of data) {
      expect(model).toMatchObject({
        id: expect.any(String),
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
      })
    }
    const listed = data.flatMap((model) => (isObject(model) ? [model.id] : []))
    const home = join(service.folder, 'home')
    const printed = await runCli(['models'], { home, env: DEMO_ENV })
    expect([...printed.stdout.matchAll(/^ {2}(\S+)/gm)].map(([, id]) => id)).toEqual(listed)
    expect(listed).toContain('gpt-5.2')
  })

  test('FR6: bad bodies are 400, unknown models 404, Cursor’s errors 500 with its words', async () => {
    const post = (body: unknown) => service.post('/v1/chat/completions', body)
    const bad = [{}, { model: 'auto' }, { messages: 'x' }, { messages: [] }, [], 'text', null]
    for (const body of bad) expect((await post(body)).status).toBe(400)
    const broken = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      body: '{"model":',
      headers: { 'content-type': 'application/json' },
    })
    expect(broken.status).toBe(400)
    expect((await ask(service, STREAM, unique('x'), { model: 'no-such-model-9' })).status).toBe(404)
    for (const way of WAYS) {
      const heard = await ask(service, way, unique('error'))
      expect(heard.status).toBe(500)
      expect(String(heard.error?.message)).toContain('the gateway said no')
    }
  })

  test('AC1: the curl example streams Cursor’s answer in the OpenAI format', async () => {
    const content = 'hello'
    const body = { model: MODEL, messages: [{ role: 'user', content }], stream: true }
    const heard = await send(service, STREAM, body)
    expect(heard.status).toBe(200)
    expect(heard.text).toBe('hello back')
    expect(heard.reply.model).toBe(MODEL)
    const agent = agents(service).find(({ pid }) =>
      service
        .journal()
        .some((fact) => fact.event === 'prompt' && fact.pid === pid && fact.prompt === 'hello'),
    )
    // As asked or as resolved; what was resolved is said.
    expect(agent && flagOf(agent, '--model')).toBe(heard.headers.get('x-cursor-adapter-model'))
    expect(heard.headers.get('x-cursor-adapter-model')).toMatch(/sonnet/)
  })

  test('AC2: text is shown as it is made, without waiting for the whole', async () => {
    const heard = await ask(service, STREAM, unique('paced'))
    const at = (text: string) =>
      heard.frames.find((frame) => frame.data.includes(JSON.stringify(text)))?.atMs ?? Number.NaN
    expect(heard.text).toBe('Hello world')
    expect(at('lo ') - at('Hel')).toBeGreaterThan(200)
    expect(at('world') - at('lo ')).toBeGreaterThan(200)
  })

  test('AC2: thinking is streamed too', async () => {
    const heard = await ask(service, STREAM, unique('thoughtful'))
    expect([heard.thinking, heard.text]).toEqual(['let me see', '42'])
  })

  test('AC3: gpt-5.2 is given to the CLI as --model gpt-5.2', async () => {
    const question = unique('which')
    await ask(service, STREAM, question, { model: 'gpt-5.2' })
    const { argv } = agentOf(service, question)
    expect(argv.join(' ')).toContain('--model gpt-5.2 ')
  })

  test('AC4: /health is exactly status ok and CLI available', async () => {
    const reply = await fetch(`${service.url}/health`)
    expect(reply.status).toBe(200)
    expect(await reply.text()).toBe('{"status":"ok","cursor_cli":"available"}')
  })

  test('edge case: a crash of the CLI is a 500, and nothing of it is left', async () => {
    const question = unique('crash')
    const heard = await ask(service, WHOLE, question)
    expect(heard.status).toBe(500)
    expect(String(heard.error?.message)).toMatch(/killed by SIGKILL/)
    await allGone('the agent', 3000, [agentOf(service, question).pid])
    await until(
      'its slot to be free',
      3000,
      async () => (await total(service, 'runs_active')) === 0,
    )
  })

  test('edge case, NFR2: five requests at once have five processes, and leave no zombie', async () => {
    const questions = Array.from({ length: 5 }, () => unique('paced'))
    const replies = questions.map((question, at) =>
      ask(service, WAYS[at % WAYS.length] ?? STREAM, question),
    )
    const pids = (await Promise.all(questions.map((one) => prompted(service, one)))).map(
      ({ pid }) => pid,
    )
    expect(new Set(pids).size).toBe(5)
    expect((await Promise.all(replies)).map(({ text }) => text)).toEqual(
      questions.map(() => 'Hello world'),
    )
    // A zombie would count as gone here; the service reaps its children, so there is none.
    await allGone('the agents', 5000, pids)
    await until('every process to be reaped', within(5000), () => !pids.some(pidExists))
  })

  test('edge case: without stream the answer comes whole, at its end', async () => {
    const heard = await ask(service, WHOLE, unique('paced'))
    expect(heard.text).toBe('Hello world')
    expect(heard.headMs).toBeGreaterThan(800)
  })

  test('NFR1: own time below 500 ms and first words at most 200 ms after the agent’s, as /metrics show', {
    retry: 2,
  }, async () => {
    const heard: Heard[] = []
    const before = await service.metrics()
    for (let at = 0; at < 5; at += 1) heard.push(await ask(service, STREAM, unique('hello')))
    expect(heard.every(({ text }) => text === 'hello back')).toBe(true)
    const after = await service.metrics()
    const rise = (name: string, labels: Record<string, string> = {}) =>
      totalIn(after, name, labels) - totalIn(before, name, labels)
    const phases = ['accept', 'dispatch', 'relay']
    const own = phases.map((phase) => rise('proxy_overhead_seconds_sum', { phase }))
    for (const phase of phases) {
      const labels = { phase, le: '0.5' }
      const count = rise('proxy_overhead_seconds_count', { phase })
      expect(count).toBeGreaterThanOrEqual(5)
      expect(rise('proxy_overhead_seconds_bucket', labels)).toBe(count)
    }
    expect(own.reduce((sum, seconds) => sum + seconds, 0) / 5).toBeLessThan(within(500) / 1000)
    const agent =
      rise('agent_first_event_seconds_sum') +
      rise('launch_seconds_sum') +
      rise('queue_wait_seconds_sum')
    expect(rise('first_token_seconds_count')).toBe(5)
    expect((rise('first_token_seconds_sum') - agent) / 5).toBeLessThan(within(200) / 1000)
  })
})

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.concurrent('the brief: starting and configuring', () => {
  const home = mkdtempSync(join(tmpdir(), 'brief-test-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('FR5: a YAML file sets port, CLI, default model and timeout', async () => {
    const port = 20_000 + Math.floor(Math.random() * 20_000)
    const wanted = { port, default_model: 'composer-2.5', timeout: wholeSeconds(2) }
    const folder = mkdtempSync(join(tmpdir(), 'brief-test-'))
    const file = join(folder, 'my.yaml')
    writeFileSync(
      file,
      Object.entries(wanted)
        .map(([key, value]) => `${key}: ${value}\n`)
        .join(''),
    )
    const hanging = {
      runs: [run('hang', { repeat: 1000, steps: [{ sleep: 100 }] }), { steps: [say('x'), OK] }],
    }
    const service = await startService({ folder, script: hanging, args: ['--config', file] })
    const question = unique('default')
    await ask(service, STREAM, question, { model: '' })
    expect(flagOf(agentOf(service, question), '--model')).toBe('composer-2.5')
    expect((await ask(service, WHOLE, unique('hang'))).status).toBe(504)
    await service.stop()
  })

  test('FR5, NFR3: ~/.cursor-adapter/config.yaml is read by itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brief-test-'))
    mkdirSync(join(folder, '.cursor-adapter'))
    writeFileSync(join(folder, '.cursor-adapter', 'config.yaml'), 'timeout: never\n')
    const { code, stderr } = await runCli(['--port', '0'], { home: folder, env: DEMO_ENV })
    expect(code).toBe(EXIT.config.code)
    expect(stderr).toMatch(/timeout: 'never'.*config\.yaml/)
    rmSync(folder, { recursive: true })
  })

  test('FR6, edge case: a request that takes too long is a 504, and its process is killed', async () => {
    const hanging = { runs: [{ steps: [{ hang: true }] }] }
    const service = await startService({
      script: hanging,
      settings: { timeout: 1, 'pool.warm': 0 },
    })
    for (const way of WAYS) {
      const heard = await ask(service, way, unique('slow'))
      expect(heard.status).toBe(504)
      expect(String(heard.error?.message)).toMatch(/within 1 s \(setting timeout\)/)
    }
    await allGone(
      'the agents',
      3000,
      agents(service).map(({ pid }) => pid),
    )
    await service.stop()
  })

  test('edge case: without a CLI the start fails and says what to do', async () => {
    const { code, stdout, stderr } = await runCli(['--port', '0'], { home })
    expect(code).toBe(EXIT.cliMissing.code)
    expect(stderr).toMatch(/no cursor-agent or agent on the PATH.*agent login.*cursor_cli_path/)
    expect(stdout).toBe('')
  })

  test('edge case: a CLI that is not logged in makes an error that names agent login', async () => {
    const service = await startService({ env: { CURSOR_ADAPTER_DEMO_LOGIN: 'missing' } })
    for (const way of WAYS) {
      const heard = await ask(service, way, unique('x'))
      expect(heard.status).toBe(503)
      expect(String(heard.error?.message)).toMatch(/`agent login`/)
    }
    await service.stop()
  })

  test('NFR3: one command starts it, and it says where it listens and which models there are', async () => {
    const service = await startService({})
    await until('the model table', within(15_000), () =>
      /models \(\d+\):\n {2}auto/.test(service.stdout()),
    )
    expect(service.stdout()).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/m)
    expect(service.stdout()).toContain('gpt-5.2')
    expect(isAlive(service.pid)).toBe(true)
    await service.stop()
    const help = await runCli(['--help'], { home })
    expect(help.stdout).toMatch(/--port/)
  })
})
