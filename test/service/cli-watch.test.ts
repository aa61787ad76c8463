import { expect, test } from 'vitest'
import { Refusal } from '../../src/core/failure.ts'
import { silentLogger } from '../../src/core/telemetry.ts'
import { createCliWatch } from '../../src/service/cli-watch.ts'

function watched() {
  const world = { nowMs: 0, there: true, version: '2026.10.01-aaaaaaa', checks: 0 }
  const watch = createCliWatch({
    find: async () =>
      world.there ? { path: '/bin/cursor-agent' } : { missing: 'not found on PATH' },
    version: async () => {
      world.checks += 1
      if (world.version === 'hang') throw new Error('--version did not answer within 10 s')
      return world.version
    },
    logger: silentLogger,
    now: () => world.nowMs,
  })
  return { world, watch }
}

test('the answer is kept for 30 s and asked for once however many want it', async () => {
  const { world, watch } = watched()
  await Promise.all([watch.check(), watch.check(), watch.check()])
  world.nowMs = 29_999
  await watch.check()
  expect(world.checks).toBe(1)
  world.nowMs = 30_001
  expect(await watch.check()).toEqual({
    at: 'available',
    binary: '/bin/cursor-agent',
    version: world.version,
  })
  expect(world.checks).toBe(2)
})

test('a missing binary names the setting that mends it', async () => {
  const { world, watch } = watched()
  world.there = false
  await watch.check()
  expect(() => watch.require()).toThrow(Refusal)
  expect(() => watch.require()).toThrow(/not found on PATH.*cursor_cli_path/)
})

test('a version that hangs counts as missing, with that reason', async () => {
  const { world, watch } = watched()
  world.version = 'hang'
  expect(await watch.check()).toEqual({
    at: 'missing',
    reason: '--version did not answer within 10 s',
  })
})

test('a missing CLI is looked for again after 5 s, by requests too', async () => {
  const { world, watch } = watched()
  world.there = false
  expect((await watch.current()).at).toBe('missing')
  world.there = true
  world.nowMs = 4_999
  expect((await watch.current()).at).toBe('missing')
  world.nowMs = 5_001
  expect((await watch.current()).at).toBe('available')
  expect(watch.require()).toMatchObject({ version: world.version })
  expect(world.checks).toBe(1)
})

test('a request neither asks for the version of a CLI that is there, nor waits for one that hangs', async () => {
  let answers: (version: string) => void = () => undefined
  const watch = createCliWatch({
    find: async () => ({ path: '/bin/cursor-agent' }),
    version: () =>
      new Promise((resolve) => {
        answers = resolve
      }),
    logger: silentLogger,
    now: () => 0,
  })
  expect((await watch.current()).at).toBe('missing')
  const checked = watch.check()
  answers('2026.10.01-aaaaaaa')
  expect((await checked).at).toBe('available')
  watch.doubt()
  expect((await watch.current()).at).toBe('available')
})

test('doubt makes the next question look again', async () => {
  const { world, watch } = watched()
  await watch.check()
  world.there = false
  expect((await watch.check()).at).toBe('available')
  watch.doubt()
  expect((await watch.check()).at).toBe('missing')
})
