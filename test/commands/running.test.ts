import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'
import { nothingLeft, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

const running: Service[] = []
afterEach(async () => {
  for (const service of running.splice(0)) {
    if (service.process.exitCode === null) await service.stop()
    service.discard()
  }
})

async function start(...args: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...args)
  running.push(service)
  return service
}

const ask = (service: Service, args: readonly string[], env: Record<string, string> = {}) =>
  runCli(args, {
    home: join(service.folder, 'home'),
    env: { CURSOR_ADAPTER_HOME: join(service.folder, 'adapter'), ...env },
  })

const fileOf = (service: Service) => join(service.folder, 'adapter', 'run', 'service.json')

test('a running service is found through its file, which only the user may read and which goes with it', async () => {
  const service = await start()
  await until('the service file', 15_000, () => existsSync(fileOf(service)))
  expect(statSync(fileOf(service)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(fileOf(service), 'utf8'))).toMatchObject({
    pid: service.pid,
    url: service.url,
    version: expect.stringMatching(/^\d+\./),
    startedAt: expect.stringMatching(/^20\d\d-/),
  })
  const { code, stdout } = await ask(service, ['status'])
  expect(stdout).toContain(`at ${service.url} (pid ${service.pid}`)
  expect(stdout).toMatch(/^health {2}ok$/m)
  expect(stdout).toMatch(/pool\.active {2}0/)
  expect(code).toBe(0)
  service.process.kill('SIGTERM')
  expect(await service.exited).toEqual({ code: 0, signal: null })
  expect(existsSync(fileOf(service))).toBe(false)
  expect((await ask(service, ['status'])).code).toBe(EXIT.notRunning.code)
})

test('models come from the running service, and from the CLI when there is none', async () => {
  const service = await start()
  await until('the service file', 15_000, () => existsSync(fileOf(service)))
  const [live, alone] = await Promise.all([
    ask(service, ['models']),
    runCli(['models'], { home: join(service.folder, 'home'), env: DEMO_ENV }),
  ])
  expect(live.code).toBe(0)
  expect(live.stdout).toMatch(/^models \(\d+\):$/m)
  expect(live.stdout.match(/^ {2}\S+/gm)).toEqual(alone.stdout.match(/^ {2}\S+/gm))
  expect(live.stdout).toMatch(/^ {2}auto /m)
})

test('a stale file of a dead service counts as none', async () => {
  const home = mkdtempSync(join(tmpdir(), 'stale-test-'))
  mkdirSync(join(home, '.cursor-adapter', 'run'), { recursive: true })
  const facts = { pid: 2 ** 22 - 3, url: 'http://127.0.0.1:1', version: '0', startedAt: '' }
  writeFileSync(join(home, '.cursor-adapter/run/service.json'), JSON.stringify(facts))
  const { code, stderr } = await runCli(['status'], { home })
  expect(stderr).toMatch(/no service is running/)
  expect(code).toBe(EXIT.notRunning.code)
  rmSync(home, { recursive: true })
})

test('a demo beside the service does not hide it', async () => {
  const service = await start()
  await until('the service file', 15_000, () => existsSync(fileOf(service)))
  const demo = await ask(service, ['demo', '--once', '--port', '0'])
  expect(demo.code).toBe(0)
  expect(JSON.parse(readFileSync(fileOf(service), 'utf8'))).toMatchObject({ pid: service.pid })
})

test('with a key set, status needs it too and never prints it', async () => {
  const service = await start({ settings: { api_key: 'my-secret-key' } })
  await until('the service file', 15_000, () => existsSync(fileOf(service)))
  const without = await ask(service, ['status'])
  expect(without.stdout).toMatch(/^health {2}ok$/m)
  expect(without.stderr).toMatch(/no details: HTTP 401/)
  const withKey = await ask(service, ['status'], { CURSOR_ADAPTER_API_KEY: 'my-secret-key' })
  expect(withKey.stdout).toMatch(/pool\.active/)
  expect(withKey.stdout + withKey.stderr + service.stdout() + service.stderr()).not.toContain(
    'my-secret-key',
  )
})

test('without a CLI but allowed to miss it, the service is up and names the fault', async () => {
  const service = await start({ agent: '/nowhere/agent', args: ['--allow-missing-cli'] })
  const health = await fetch(`${service.url}/health`)
  expect(health.status).toBe(503)
  const reply = await service.post('/v1/chat/completions', {
    model: 'auto',
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(reply.status).toBe(503)
  expect(await reply.text()).toMatch(/cursor_cli_path/)
  const status = await ask(service, ['status'])
  expect(status.code).toBe(EXIT.unhealthy.code)
})

const slow = {
  runs: [
    {
      steps: [
        { init: true },
        { delta: 'a' },
        { sleep: 1500 },
        { delta: 'b' },
        { recap: true },
        { result: true },
      ],
    },
  ],
}
const endless = { runs: [{ steps: [{ init: true }, { delta: 'a' }, { hang: true }] }] }
const question = { model: 'auto', stream: true, messages: [{ role: 'user', content: 'hi' }] }

test('SIGTERM lets a running reply finish, then the service ends with 0', async () => {
  const service = await start({ script: slow })
  const reply = await service.post('/v1/chat/completions', question)
  const text = reply.text()
  await until('the prompt to arrive', 15_000, () => service.prompts().length === 1)
  service.process.kill('SIGTERM')
  expect(await text).toMatch(/"b"[\s\S]*\[DONE\]/)
  expect(await service.exited).toEqual({ code: 0, signal: null })
  await nothingLeft(service.journal(), service.scratchRoot)
})

test('a second signal ends the service at once, children included', async () => {
  const service = await start({ script: endless })
  const reply = await service.post('/v1/chat/completions', question)
  const text = reply.text().catch(() => 'cut')
  await until('the prompt to arrive', 15_000, () => service.prompts().length === 1)
  service.process.kill('SIGTERM')
  await until('the drain to begin', 15_000, () => service.stderr().includes('"stopping"'))
  const signalledMs = Date.now()
  service.process.kill('SIGINT')
  expect(await service.exited).toEqual({ code: EXIT.forced.code, signal: null })
  expect(Date.now() - signalledMs).toBeLessThan(10_000)
  await text
  await nothingLeft(service.journal(), service.scratchRoot)
})

test('an error that nobody caught ends the service with its children, and is logged', async () => {
  const fault = `import { isMainThread } from 'node:worker_threads'
    import { existsSync } from 'node:fs'
    if (isMainThread) setInterval(() => { if (existsSync(process.env.FAULT)) throw new Error('boom') }, 20).unref()`
  const flag = join(mkdtempSync(join(tmpdir(), 'fault-test-')), 'now')
  const env = {
    FAULT: flag,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fault)}`,
  }
  const service = await start({ script: endless, env })
  const text = (await service.post('/v1/chat/completions', question)).text().catch(() => 'cut')
  await until('the prompt to arrive', 15_000, () => service.prompts().length === 1)
  writeFileSync(flag, '')
  expect(await service.exited).toEqual({ code: EXIT.failed.code, signal: null })
  expect(service.stderr()).toMatch(/"stack":"Error: boom/)
  await text
  await nothingLeft(service.journal(), service.scratchRoot)
  rmSync(join(flag, '..'), { recursive: true })
})

test('logs are JSON lines on standard error, standard output stays for people', async () => {
  const service = await start({ settings: { 'log.level': 'debug' } })
  await until('the model table', 15_000, () => service.stdout().includes('models ('))
  for (const line of service.stderr().trim().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
  }
  expect(service.stdout()).not.toContain('{"level"')
})
