// Field cases F36, F43, F44, F47: the service without `ps`, killed hard, without its CLI, told to stop.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { stringAt } from '../../src/lib/json.ts'
import { agents, allGone, familyOf, prompted } from '../support/agents.ts'
import { ask, errorType, NORMAL_END, send, unique, WAYS } from '../support/ask.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import { postRaw } from '../support/raw-client.ts'
import {
  DEMO_AGENT,
  nothingLeft,
  OVER_ACP,
  type Service,
  type ServiceOptions,
  scratchFolders,
  startService,
} from '../support/service.ts'
import { OK, run, delta as say } from '../support/steps.ts'
import { isAlive, until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const folder = mkdtempSync(join(tmpdir(), 'process-test-'))
const started: Service[] = []
afterAll(() => {
  // A test that failed has not stopped its service.
  for (const { process } of started) process.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** Two threads are enough for most: every thread costs a start. */
async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService({
    ...options,
    settings: { concurrency: 2, ...options.settings },
  })
  started.push(service)
  return service
}

const STREAM = { api: 'chat', stream: true } as const
const WHOLE = { api: 'messages', stream: false } as const
const HELPER = { grandchild: { ignoreTerm: true, holdStdout: true, ownGroup: false } }
const APART = { grandchild: { ignoreTerm: true, holdStdout: true, ownGroup: true } }
const ignoreFailure = (): undefined => undefined

/** A program of the test's own that runs the demo agent, and can be changed, moved and taken away. */
function wrapper(name: string, body = `exec "${process.execPath}" "${DEMO_AGENT}" "$@"`): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

test.concurrent('F36: without ps a cancelled run leaves nothing, and the service stays up', async () => {
  const script = {
    runs: [run('tree', HELPER, APART, say('a'), { hang: true }), { steps: [say('b'), OK] }],
  }
  const service = await start({ script, env: { PATH: join(folder, 'empty') } })
  const question = unique('tree')
  const leaver = new AbortController()
  const messages = [{ role: 'user', content: question }]
  const left = send(service, STREAM, { messages }, { signal: leaver.signal }).catch(ignoreFailure)
  const { pid } = await prompted(service, question)
  await until('two helpers', within(5000), () => familyOf(service, pid).length === 3)
  leaver.abort()
  await left
  // Over ACP the process stays for the next run, and its helpers with it.
  if (!OVER_ACP) await allGone('the tree', 5000, familyOf(service, pid))
  expect((await ask(service, WHOLE, unique('next'))).text).toBe('b')
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  expect(service.stderr()).not.toMatch(/uncaught|ENOENT|"level":"error"/i)
  await service.stop()
})

test.concurrent('F43: what a killed service left is ended by the next one, and nothing else', async () => {
  const deaf = { ignore: ['SIGTERM', 'SIGHUP'] }
  const script = {
    runs: [
      run('busy', deaf, HELPER, say('a'), { hang: true }),
      run('lonely', deaf, APART, { hang: true }),
      { steps: [{ init: true }, say('served'), OK] },
    ],
  }
  const service = await start({ script, settings: { concurrency: 4, 'pool.warm': 2 } })
  const questions = [unique('busy'), unique('lonely')]
  const cut = questions.map((question) => ask(service, STREAM, question).catch(ignoreFailure))
  const busy = await Promise.all(questions.map((question) => prompted(service, question)))
  const families = busy.map(({ pid }) => pid)
  await until('helpers and spares', within(10_000), () => {
    return (
      families.every((pid) => familyOf(service, pid).length === 2) && agents(service).length >= 4
    )
  })
  const everything = agents(service).flatMap(({ pid }) => familyOf(service, pid))
  // Somebody else's agent, with the same program and arguments.
  const stranger = spawn(process.execPath, [DEMO_AGENT, '-p', '--trust', '--model', 'auto'])
  const abandoned = scratchFolders(service.scratchRoot)
  expect(abandoned.length).toBeGreaterThanOrEqual(4)
  service.process.kill('SIGKILL')
  await service.exited
  await Promise.all(cut)
  // Processes of ACP mode go when their stdin ends, helpers do not.
  expect(everything.filter(isAlive).length).toBeGreaterThanOrEqual(OVER_ACP ? 2 : 4)

  const next = await start({ script, folder: service.folder })
  expect((await ask(next, WHOLE, unique('hello'))).text).toBe('served')
  await allGone('the old agents', 10_000, everything)
  await until('the old folders to be gone', within(5000), () => {
    return !scratchFolders(next.scratchRoot).some((name) => abandoned.includes(name))
  })
  expect(stranger.exitCode).toBeNull()
  expect(isAlive(stranger.pid ?? 0)).toBe(true)
  // Counted at the end of the whole sweep, which is after the end of its last process.
  await until('the sweep to be counted', within(5000), async () => {
    return ((await next.metric('cursor_adapter_orphans_reaped_total')) ?? 0) > 0
  })
  stranger.kill('SIGKILL')
  await next.stop()
})

// A process of ACP mode that is up goes on serving.
test.skipIf(OVER_ACP).concurrent(
  'F44: a CLI that goes after the start is named at once, and is used again when it is back',
  async () => {
    const agent = wrapper('going')
    const service = await start({ agent, settings: { 'pool.warm': 0 } })
    expect((await ask(service, WHOLE, 'say OK')).status).toBe(200)
    renameSync(agent, `${agent}.away`)
    for (const way of WAYS) {
      const sentMs = performance.now()
      const heard = await ask(service, way, unique('gone'))
      expect(performance.now() - sentMs).toBeLessThan(within(1000))
      expect(heard.status).toBe(503)
      expect(errorType(way.api, heard)).toBe(way.api === 'messages' ? 'api_error' : 'server_error')
      if (way.api === 'chat')
        expect(heard.error && stringAt(heard.error, 'code')).toBe('cli_missing')
      expect(String(heard.error?.message)).toMatch(/cursor_cli_path/)
      expect(heard.headers.get('x-should-retry')).toBe('false')
    }
    const health = await fetch(`${service.url}/health`)
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({
      reason: expect.stringMatching(/going.*does not exist/),
    })
    chmodSync(`${agent}.away`, 0o644)
    renameSync(`${agent}.away`, agent)
    await until('the missing CLI to be looked for again', within(8000), async () => {
      const { error } = await ask(service, WHOLE, unique('unexecutable'))
      return /not executable|EACCES/.test(String(error?.message))
    })
    chmodSync(agent, 0o755)
    await until('the CLI to be used again', within(15_000), async () => {
      return (await ask(service, STREAM, unique('back'))).status === 200
    })
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    await service.stop()
  },
  within(40_000),
)

test.concurrent.each([
  ['absent', () => join(folder, 'absent'), /does not exist/],
  ['crashing', () => wrapper('crashing', 'kill -SEGV $$'), /SIGSEGV/],
])(
  'F44: a CLI that is %s from the start is named by /health and in every error',
  async (_what, make, reason) => {
    const service = await start({ agent: make(), args: ['--allow-missing-cli'] })
    const health = await fetch(`${service.url}/health`)
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({ reason: expect.stringMatching(reason) })
    for (const way of WAYS) {
      const sentMs = performance.now()
      const heard = await ask(service, way, unique('gone'))
      expect(performance.now() - sentMs).toBeLessThan(within(1000))
      expect(heard.status).toBe(503)
      expect(String(heard.error?.message)).toMatch(reason)
      expect(String(heard.error?.message)).toMatch(/cursor_cli_path/)
    }
    await service.stop()
  },
)

test.concurrent('F44: a CLI that begins to crash fails its runs at once and is doubted by /health', async () => {
  const agent = wrapper('breaking')
  const service = await start({ agent, settings: { 'pool.warm': 0 } })
  wrapper('breaking', 'kill -SEGV $$')
  for (const way of WAYS) {
    const heard = await ask(service, way, unique('crash'))
    expect(heard.status).toBe(500)
    expect(String(heard.error?.message)).toMatch(/SIGSEGV/)
  }
  const health = await fetch(`${service.url}/health`)
  expect(health.status).toBe(503)
  expect(await health.json()).toMatchObject({ reason: expect.stringMatching(/SIGSEGV/) })
  await service.stop()
})

test.concurrent('F47: SIGTERM lets running answers finish, tells new ones 503, and ends with 0', async () => {
  const script = {
    runs: [
      run(
        'running',
        say('a'),
        { repeat: 3, steps: [{ sleep: wholeSeconds(0.8) * 1000 }, say('b')] },
        OK,
      ),
      run('next', say('x'), OK),
    ],
  }
  const service = await start({ script, settings: { concurrency: WAYS.length } })
  const questions = WAYS.map(() => unique('running'))
  const running = WAYS.map((way, at) => ask(service, way, questions[at] ?? ''))
  await Promise.all(questions.map((question) => prompted(service, question)))
  service.process.kill('SIGTERM')
  await until('the end to begin', within(5000), () => service.stderr().includes('"stopping"'))
  const late = await Promise.all(WAYS.map((way) => ask(service, way, unique('next'))))
  for (const [at, heard] of late.entries()) {
    expect(heard.status).toBe(503)
    expect(String(heard.error?.message)).toMatch(/shutting down/)
    expect(Number(heard.headers.get('retry-after'))).toBeGreaterThan(0)
    if (WAYS[at]?.api !== 'messages') expect(heard.error?.code).toBe('shutting_down')
  }
  for (const [at, heard] of (await Promise.all(running)).entries()) {
    expect([heard.text, heard.finish]).toEqual(['abbb', NORMAL_END[WAYS[at]?.api ?? 'chat']])
  }
  expect(await service.exited).toEqual({ code: 0, signal: null })
  await nothingLeft(service.journal(), service.scratchRoot)
  expect(service.prompts()).toHaveLength(WAYS.length)
  service.discard()
})

test.concurrent('F47: SIGTERM waits for a client that is still reading when the agents are gone', async () => {
  const burst = { burst: { events: 400_000, size: 20 } }
  const service = await start({ script: { runs: [run('long', burst, OK)] } })
  const body = { model: 'auto', messages: [{ role: 'user', content: unique('long') }] }
  const client = await postRaw(service.url, '/v1/chat/completions', body)
  await until(
    'the whole reply to be written',
    within(20_000),
    () => client.socket.readableLength > 0,
  )
  service.process.kill('SIGTERM')
  // 8 MB at 1 MB/s by the clock: long after the last agent.
  const readers = setInterval(() => client.read(20_000), 20)
  await service.exited
  await until('the rest', within(10_000), () => client.socket.closed)
  clearInterval(readers)
  expect(client.received()).toBeGreaterThan(8_000_000)
  await nothingLeft(service.journal(), service.scratchRoot)
  service.discard()
})

test.concurrent('F47: a second SIGTERM ends everything at once', async () => {
  const script = {
    runs: [run('endless', { ignore: ['SIGTERM'] }, HELPER, say('a'), { hang: true })],
  }
  const service = await start({ script })
  const question = unique('endless')
  const cut = ask(service, STREAM, question).catch(ignoreFailure)
  const { pid } = await prompted(service, question)
  await until('the helper', within(5000), () => familyOf(service, pid).length === 2)
  service.process.kill('SIGTERM')
  await until('the end to begin', within(5000), () => service.stderr().includes('"stopping"'))
  await delay(300)
  expect(service.process.exitCode).toBeNull()
  const signalledMs = performance.now()
  service.process.kill('SIGTERM')
  await service.exited
  expect(performance.now() - signalledMs).toBeLessThan(within(4000))
  await cut
  await nothingLeft(service.journal(), service.scratchRoot)
  service.discard()
})
