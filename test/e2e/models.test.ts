// Field cases F68 to F72: the model list as Cursor prints it, and names that it does not have.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { isObject, parseJson, stringAt } from '../../src/lib/json.ts'
import { agentOf, agents } from '../support/agents.ts'
import { APIS, ask, errorType, unique, WAYS } from '../support/ask.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import {
  DEMO_AGENT,
  OVER_ACP,
  type Service,
  type ServiceOptions,
  startService,
} from '../support/service.ts'
import { OK, delta as say } from '../support/steps.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const folder = mkdtempSync(join(tmpdir(), 'models-test-'))
const services: Service[] = []
afterAll(async () => {
  for (const service of services) await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const ANSWER = { runs: [{ steps: [{ init: true }, say('fine'), OK] }] }

interface Lister {
  readonly agent: string
  /** While it exists, the list command fails. */
  readonly broken: string
  /** How often the list command was started so far. */
  readonly lists: () => number
}

/** The demo agent with a list command that takes its time, and fails while it is told to. */
function lister(name: string, takesMs: number): Lister {
  const agent = join(folder, `${name}.mjs`)
  const broken = join(folder, `${name}.broken`)
  const count = join(folder, `${name}.count`)
  writeFileSync(
    agent,
    `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
if (/^(models|--list-models)$/.test(process.argv[2] ?? '')) {
  appendFileSync(${JSON.stringify(count)}, process.argv[2] + '\\n')
  if (existsSync(${JSON.stringify(broken)})) process.exit(1)
  await delay(${takesMs})
}
await import(${JSON.stringify(pathToFileURL(DEMO_AGENT).href)})
`,
  )
  const lists = (): number =>
    existsSync(count) ? readFileSync(count, 'utf8').trim().split('\n').length : 0
  return { agent, broken, lists }
}

function listFile(name: string, text: string): string {
  const path = join(folder, `${name}.txt`)
  writeFileSync(path, text)
  return path
}

/** Two threads are enough for most: every thread costs a start. */
async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService({
    ...options,
    settings: { concurrency: 2, ...options.settings },
  })
  services.push(service)
  return service
}

async function listed(service: Service, headers: Record<string, string> = {}): Promise<string[]> {
  const body = parseJson(await (await fetch(`${service.url}/v1/models`, { headers })).text())
  const data = isObject(body) && Array.isArray(body.data) ? body.data : []
  return data.map((model: unknown) => (isObject(model) && stringAt(model, 'id')) || '?')
}

const ANTHROPIC = { 'anthropic-version': '2023-06-01' }

describe.concurrent('the list', () => {
  test('F68: colours do not hide models, and a failure is not kept', async () => {
    const { agent, broken, lists } = lister('coloured', 0)
    writeFileSync(broken, '')
    const text =
      '\u001b[2K\u001b[1mAvailable models\u001b[0m\n\n\u001b[36mgpt-5.2\u001b[0m - \u001b[1mGPT-5.2\u001b[22m\r\n\u001b[32mcomposer-2.5\u001b[39m - Composer\u200b 2.5 \u001b[2m(default)\u001b[0m\n'
    const env = { CURSOR_ADAPTER_DEMO_MODELS: listFile('coloured', text) }
    const service = await start({ agent, env, script: ANSWER })
    await until('the first list to fail', within(10_000), () => lists() >= 2)
    const failed = await fetch(`${service.url}/v1/models`)
    expect(failed.status).toBeGreaterThanOrEqual(500)
    expect(await failed.json()).toMatchObject({ error: { message: expect.any(String) } })
    // Without a list, names pass through; Cursor judges them.
    const question = unique('unlisted')
    const heard = await ask(service, { api: 'chat', stream: true }, question, { model: 'gpt-5.2' })
    // Over ACP the stand-in offers what it reads in that list itself, colours and all.
    expect(heard.status).toBe(OVER_ACP ? 404 : 200)
    if (!OVER_ACP) expect(agentOf(service, question).model).toBe('gpt-5.2')
    rmSync(broken)
    expect(await listed(service)).toEqual(['gpt-5.2', 'composer-2.5'])
    expect(await listed(service, ANTHROPIC)).toEqual(['gpt-5.2', 'composer-2.5'])
  })

  test('F68: nor is an empty list', async () => {
    const file = listFile('empty', 'Available models\n\nNo models available for this account.\n')
    const service = await start({ env: { CURSOR_ADAPTER_DEMO_MODELS: file } })
    expect((await fetch(`${service.url}/v1/models`)).status).toBeGreaterThanOrEqual(500)
    writeFileSync(file, 'auto - Auto (default)\n')
    expect(await listed(service)).toEqual(['auto'])
  })

  test('F69: headings, marks, tips, blanks and repeats give each id once', async () => {
    const text = `Loading models…
Available models

auto - Auto (default)
gpt-5.3-codex - GPT-5.3 Codex  (current)
grok-4.7-xhigh - Grok 4.7 256K Extra High
gpt-5.3-codex - GPT-5.3 Codex
claude-opus-5[thinking=true] - Claude Opus 5 - Thinking (default, current)

Tip: use --model <id> - or /model - to switch.
`
    const env = { CURSOR_ADAPTER_DEMO_MODELS: listFile('headings', text) }
    const service = await start({ env })
    const ids = ['auto', 'gpt-5.3-codex', 'grok-4.7-xhigh', 'claude-opus-5[thinking=true]']
    expect(await listed(service)).toEqual(ids)
    expect(await listed(service, ANTHROPIC)).toEqual(ids)
    for (const id of ids) {
      const one = await fetch(`${service.url}/v1/models/${encodeURIComponent(id)}`)
      expect(await one.json()).toMatchObject({ id })
    }
  })

  test('F70: twenty questions for a cold list run one command, later ones are answered at once', async () => {
    const { agent, lists } = lister('slow', wholeSeconds(1.5) * 1000)
    const file = listFile('slow', 'auto - Auto (default)\ngpt-5.2 - GPT-5.2\n')
    const env = { CURSOR_ADAPTER_DEMO_MODELS: file }
    const service = await start({ agent, env, settings: { 'pool.warm': 0 } })
    const cold = Array.from({ length: 20 }, (_, at) => listed(service, at % 2 ? ANTHROPIC : {}))
    for (const ids of await Promise.all(cold)) expect(ids).toEqual(['auto', 'gpt-5.2'])
    expect(lists()).toBe(1)
    // Cursor's own refusal makes the service look again.
    writeFileSync(file, 'auto - Auto (default)\n')
    await ask(service, { api: 'chat', stream: false }, unique('x'), { model: 'gpt-5.2' })
    await until('the list to be asked for again', within(10_000), () => lists() === 2)
    const sentMs = performance.now()
    const meanwhile = await Promise.all(Array.from({ length: 20 }, () => listed(service)))
    expect(performance.now() - sentMs).toBeLessThan(within(1500))
    for (const ids of meanwhile) expect(ids).toEqual(['auto', 'gpt-5.2'])
    await until('the new list', within(10_000), async () => (await listed(service)).length === 1)
    expect(lists()).toBe(2)
  })
})

describe.concurrent('names', () => {
  const ASKED = [
    'claude-sonnet-4-20250514',
    'claude-3-5-haiku-latest',
    'no-such-model',
    '-f',
    '--help',
  ]

  test('F71: without a rule a name that Cursor does not have is a 404 that names the nearest, and starts nothing', async () => {
    const settings = { 'models.family_aliases': false, 'pool.warm': 0 }
    const service = await start({ settings, script: ANSWER })
    for (const way of WAYS) {
      for (const model of ASKED) {
        const heard = await ask(service, way, unique('x'), { model })
        expect(heard.status).toBe(404)
        expect(errorType(way.api, heard)).toBe(
          way.api === 'messages' ? 'not_found_error' : 'invalid_request_error',
        )
        if (way.api !== 'messages') expect(heard.error?.code).toBe('model_not_found')
        expect(String(heard.error?.message)).toContain(JSON.stringify(model))
        if (model.startsWith('claude'))
          expect(String(heard.error?.message)).toMatch(/nearest are: claude-/)
      }
    }
    expect(agents(service)).toEqual([])
  })

  test('F71: with a rule the mapped id reaches the agent, exact names before patterns', async () => {
    const aliases = {
      'claude-*': 'gpt-5.2',
      'claude-3-5-haiku-latest': 'composer-2.5-fast',
      mine: 'not-in-the-list',
    }
    const settings = { 'models.family_aliases': false, 'models.aliases': JSON.stringify(aliases) }
    const service = await start({ settings, script: ANSWER })
    const rows = [
      ['claude-sonnet-4-20250514', 'gpt-5.2'],
      ['claude-3-5-haiku-latest', 'composer-2.5-fast'],
    ] as const
    for (const api of APIS) {
      for (const [asked, given] of rows) {
        const question = unique('mapped')
        const heard = await ask(service, { api, stream: true }, question, { model: asked })
        expect(heard.text).toBe('fine')
        expect(heard.reply.model).toBe(asked)
        expect(heard.headers.get('x-cursor-adapter-model')).toBe(given)
        // Over ACP the variant is an option beside the model.
        const model = OVER_ACP ? given.replace(/-fast$/, '') : given
        expect(agentOf(service, question).model).toBe(model)
      }
    }
  })

  test('F72: a model that Cursor has withdrawn is a 404 with the alternatives, and the list is fetched anew', async () => {
    const file = listFile('withdrawn', 'auto - Auto\ngpt-5.2 - GPT-5.2\ngpt-5.3 - GPT-5.3\n')
    const service = await start({ env: { CURSOR_ADAPTER_DEMO_MODELS: file } })
    expect(await listed(service)).toContain('gpt-5.2')
    writeFileSync(file, 'auto - Auto\ngpt-5.3 - GPT-5.3\n')
    const heard = await Promise.all(
      WAYS.map(
        async (way) => [way, await ask(service, way, unique('x'), { model: 'gpt-5.2' })] as const,
      ),
    )
    for (const [way, { status, error, ...rest }] of heard) {
      expect(status).toBe(404)
      expect(String(error?.message)).toMatch(/gpt-5\.2.*gpt-5\.3/)
      expect(errorType(way.api, { status, error, ...rest })).toBe(
        way.api === 'messages' ? 'not_found_error' : 'invalid_request_error',
      )
      if (way.api !== 'messages') expect(error?.code).toBe('model_not_found')
    }
    await until(
      'the new list',
      within(10_000),
      async () => !(await listed(service)).includes('gpt-5.2'),
    )
    expect(await listed(service)).toEqual(['auto', 'gpt-5.3'])
  })
})
