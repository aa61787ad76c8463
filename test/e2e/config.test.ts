// Field cases F74 to F78 and F83: configuration folders, login, modes and permissions, and settings that are wrong.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { type AgentFacts, agentOf, agents } from '../support/agents.ts'
import { APIS, ask, send, unique, WAYS } from '../support/ask.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'
import { within } from '../support/pace.ts'
import { OVER_ACP, type Service, type ServiceOptions, startService } from '../support/service.ts'
import { OK, delta as say } from '../support/steps.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const ANSWER = { runs: [{ steps: [{ init: true }, say('fine'), OK] }] }
const STREAM = { api: 'chat', stream: true } as const

const services: Service[] = []
const folders: string[] = []
afterAll(async () => {
  for (const service of services) await service.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Two threads are enough for most: every thread costs a start. */
async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService({
    script: ANSWER,
    ...options,
    settings: { concurrency: 2, ...options.settings },
  })
  services.push(service)
  return service
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'config-test-'))
  folders.push(folder)
  return folder
}

describe.concurrent('configuration folders', () => {
  test('F74: ten agents at once do not disturb each other’s configuration', async () => {
    const service = await start({
      settings: { concurrency: 10 },
      env: { CURSOR_ADAPTER_DEMO_QUIRKS: 'fixed-temp-name' },
    })
    const models = ['gpt-5.2', 'composer-2.5', 'auto']
    const ten = Array.from({ length: 10 }, (_, at) => {
      const way = WAYS[at % WAYS.length] ?? STREAM
      return ask(service, way, unique('parallel'), { model: models[at % models.length] })
    })
    expect((await Promise.all(ten)).map(({ text }) => text)).toEqual(ten.map(() => 'fine'))
    const used = agents(service).map(({ env }) => env.CURSOR_CONFIG_DIR)
    expect(new Set(used).size).toBe(used.length)
    for (const folder of used) expect(String(folder).startsWith(service.scratchRoot)).toBe(true)
  })

  /** A home with a login in one of the places Cursor knows. */
  function homeWith(place: string): string {
    const folder = temporary()
    const login = join(folder, 'home', place)
    mkdirSync(join(login, '..'), { recursive: true })
    writeFileSync(login, JSON.stringify({ accessToken: 'a-token', refreshToken: 'b' }))
    return folder
  }

  test.each<[string, () => ServiceOptions]>([
    ['a file in ~/.cursor, private folders', () => ({ folder: homeWith('.cursor/auth.json') })],
    [
      'a file in ~/.config/cursor, private folders',
      () => ({ folder: homeWith('.config/cursor/auth.json') }),
    ],
    [
      'a file in ~/.config/cursor, shared folder',
      () => ({
        folder: homeWith('.config/cursor/auth.json'),
        settings: { 'cursor.config_dir': 'shared' },
      }),
    ],
    ['a variable, private folders', () => ({ env: { CURSOR_API_KEY: 'crsr_0123456789' } })],
    [
      'a variable of the configuration, shared folder',
      () => ({
        settings: {
          'cursor.env': JSON.stringify({ CURSOR_API_KEY: 'crsr_0123456789' }),
          'cursor.config_dir': 'shared',
        },
      }),
    ],
  ])('F75: the login is found in scratch folders and in a workspace: %s', async (_what, make) => {
    const options = make()
    const env = { CURSOR_ADAPTER_DEMO_LOGIN: 'required', ...options.env }
    const service = await start({ ...options, env })
    const project = join(service.folder, 'home', 'project')
    mkdirSync(project, { recursive: true })
    const body = () => ({ messages: [{ role: 'user', content: unique('login') }] })
    const headers = { 'x-cursor-workspace': project }
    const heard = await Promise.all([
      send(service, STREAM, body()),
      send(service, { api: 'messages', stream: false }, body(), { headers }),
    ])
    expect(heard.map(({ text }) => text)).toEqual(['fine', 'fine'])
    expect(service.journal().some(({ cwd }) => String(cwd).endsWith('project'))).toBe(true)
  })
})

// Over ACP these are no flags: acp.test.ts.
describe.skipIf(OVER_ACP).concurrent('modes and permissions', () => {
  const SOME = ['--mode', '--force', '-f', '--yolo', '--approve-mcps', '--sandbox', '--trust']
  /** The words of argv that say what an agent may do. */
  const powers = ({ argv }: AgentFacts): string[] =>
    argv.filter((word, at) => SOME.includes(word) || argv[at - 1] === '--mode')

  const everyAnswer = async (service: Service): Promise<string[][]> => {
    const questions = APIS.map((api) => ({ api, question: unique('power') }))
    for (const { api, question } of questions) await ask(service, { api, stream: true }, question)
    return questions.map(({ question }) => powers(agentOf(service, question)))
  }

  test.each<[string, Record<string, string | boolean>, string[]]>([
    ['by default', {}, ['--trust']],
    ['with mode plan', { mode: 'plan' }, ['--trust', '--mode', 'plan']],
    ['read-only', { 'cursor.permissions': 'read-only' }, ['--trust', '--mode', 'ask']],
    [
      'with full access and MCP servers approved',
      { 'cursor.permissions': 'full', 'cursor.approve_mcps': true },
      ['--trust', '--force', '--approve-mcps'],
    ],
  ])('F76, F83: %s the flags are exactly these: %j %j', async (_what, settings, expected) => {
    const service = await start({ settings })
    expect(await everyAnswer(service)).toEqual(APIS.map(() => expected))
    // Spares too.
    for (const agent of agents(service)) expect(powers(agent)).toEqual(expected)
  })

  test('F76: the mode asked for in a header counts for that request only', async () => {
    const service = await start({})
    const modes = ['plan', 'ask', 'agent', '']
    for (const mode of modes) {
      const content = unique(`mode ${mode}`)
      const body = { messages: [{ role: 'user', content }] }
      const headers = { 'x-cursor-mode': mode }
      expect((await send(service, STREAM, body, { headers })).text).toBe('fine')
      const isAgent = mode === 'agent' || mode === ''
      expect(powers(agentOf(service, content))).toEqual([
        '--trust',
        ...(isAgent ? [] : ['--mode', mode]),
      ])
    }
  })
})

describe.concurrent('starts that are refused', () => {
  test('F77: on a taken port the second service ends at once and leaves the first alone', {
    retry: 2,
  }, async () => {
    const service = await start({})
    const { port } = new URL(service.url)
    const home = temporary()
    const startedMs = performance.now()
    const second = await runCli(['--port', port], { home, env: DEMO_ENV })
    expect(performance.now() - startedMs).toBeLessThan(within(2000))
    expect(second.code).toBe(EXIT.portTaken.code)
    expect(second.stderr).toContain(`127.0.0.1:${port}`)
    expect(second.stdout).not.toContain('listening')
    expect((await ask(service, STREAM, unique('still'))).text).toBe('fine')
  })

  test('F78: every bad value stops the start and is named with its source and what is expected', async () => {
    const rows = [
      ['TIMEOUT', 'abc', /timeout: 'abc' .*whole number from 1 to/],
      ['STALL_TIMEOUT', '-5', /stall_timeout: -5 .*from 1 to/],
      ['CONCURRENCY', '1.5', /concurrency: 1\.5 .*whole number from 1 to 64/],
      ['QUEUE_TIMEOUT', '0', /queue_timeout: 0 .*from 1 to/],
      ['POOL_KILL_GRACE', '1e9', /pool\.kill_grace: .*from 0\.05 to 60/],
      ['LOG_LEVEL', 'loud', /log\.level: 'loud' .*debug, info, warn, error/],
    ] as const
    const named = rows.map(([name, value]) => [`CURSOR_ADAPTER_${name}`, value] as const)
    const env = { ...DEMO_ENV, ...Object.fromEntries(named) }
    const { code, stdout, stderr } = await runCli(['--port', '0'], { home: temporary(), env })
    const lines = stderr.split('\n')
    for (const [name, , words] of rows) {
      const line = lines.find((one) => one.includes(`CURSOR_ADAPTER_${name} `))
      expect(line).toMatch(words)
    }
    expect(stdout).toBe('')
    expect(code).toBe(EXIT.config.code)
  })

  test('F78: unknown keys and bad values of the file are all named, with the file', async () => {
    const home = temporary()
    const file = join(home, 'config.yaml')
    writeFileSync(file, 'prot: 1\ntimeout: soon\npool:\n  wram: 2\n  warm: -1\n')
    const { code, stderr } = await runCli(['--config', file], { home, env: DEMO_ENV })
    expect(code).toBe(EXIT.config.code)
    for (const words of [
      /prot.*port/,
      /timeout: 'soon'/,
      /pool\.wram.*pool\.warm/,
      /pool\.warm: -1/,
    ]) {
      expect(stderr).toMatch(words)
    }
    expect(stderr).toContain(file)
  })
})
