// Every way a child can end, with real processes. Each drill ends with nothing left.
import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { monotonicMs } from '../../src/lib/clock.ts'
import { endGroup } from '../../src/process/terminate.ts'
import { AT_ONCE, descriptors, leftOvers, lives, pidIn, reader, start } from '../process/start.ts'
import { until } from '../support/until.ts'

afterEach(() => {
  expect(leftOvers()).toEqual([])
})

/** Generous beside the promise (150 ms), for machines with other work to do. */
const SLACK_MS = 1_500

describe('a leader alone', () => {
  test('that listens to SIGTERM is gone soon, and only that signal is sent', async () => {
    const child = await start('forever')
    expect(await reader(child).line()).toBe('ready')
    const signals: string[] = []
    const from = monotonicMs()
    await child.end('cancelled', {
      ...AT_ONCE,
      killGraceMs: 5_000,
      onKilled: (s) => signals.push(s),
    })
    expect(monotonicMs() - from).toBeLessThan(SLACK_MS)
    expect(signals).toEqual(['SIGTERM'])
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
    expect(lives(child.pid)).toBe(false)
  })

  test('that is deaf is killed after the grace', async () => {
    const child = await start('deaf')
    expect(await reader(child).line()).toBe('ready')
    const signals: string[] = []
    const from = monotonicMs()
    await child.end('timeout', { ...AT_ONCE, onKilled: (s) => signals.push(s) })
    const tookMs = monotonicMs() - from
    expect(tookMs).toBeGreaterThanOrEqual(299)
    expect(tookMs).toBeLessThan(300 + SLACK_MS)
    expect(signals).toEqual(['SIGTERM', 'SIGKILL'])
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('that exits within the exit grace gets no signal', async () => {
    const child = await start('until-eof')
    const output = reader(child)
    expect(await output.line()).toBe('ready')
    child.sendAndEnd('text')
    const signals: string[] = []
    await child.end('done', { ...AT_ONCE, exitGraceMs: 10_000, onKilled: (s) => signals.push(s) })
    expect(signals).toEqual([])
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(await output.rest()).toEqual(['4'])
  })

  test('that lingers is ended after the exit grace', async () => {
    const child = await start('forever')
    await reader(child).line()
    const from = monotonicMs()
    await child.end('done', { ...AT_ONCE, exitGraceMs: 200 })
    expect(monotonicMs() - from).toBeGreaterThanOrEqual(199)
    expect((await child.exited).signal).toBe('SIGTERM')
  })

  test('that exits by itself is looked after when there is calm', async () => {
    const child = await start('until-eof')
    await reader(child).line()
    let calm = (): void => undefined
    let asked = 0
    const end = child.end('done', {
      ...AT_ONCE,
      exitGraceMs: 60_000,
      calm: () => {
        asked += 1
        return new Promise((resolve) => {
          calm = resolve
        })
      },
    })
    let isOver = false
    void end.then(() => {
      isOver = true
    })
    child.sendAndEnd('text')
    await until('it is asked for', 10_000, () => asked === 1)
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(isOver).toBe(false)
    calm()
    await end
    expect(asked).toBe(1)
  })

  test('that exits by itself is looked after without calm when there is a hurry', async () => {
    const child = await start('until-eof')
    await reader(child).line()
    const calm = (hurry: Promise<unknown>): Promise<void> => hurry.then(() => undefined)
    const end = child.end('done', { ...AT_ONCE, exitGraceMs: 60_000, calm })
    child.sendAndEnd('text')
    await child.exited
    await Promise.all([end, child.end('shutdown', AT_ONCE)])
    expect(child.endCause).toBe('done')
  })

  test('that is told to go does not wait for calm', async () => {
    const child = await start('forever')
    await reader(child).line()
    const calm = (): Promise<void> => Promise.reject(new Error('asked for'))
    await child.end('cancelled', { ...AT_ONCE, calm })
    expect((await child.exited).signal).toBe('SIGTERM')
  })

  test('that crashes reports its signal, and ending it afterwards sends none', async () => {
    const child = await start('crash')
    const signals: string[] = []
    expect((await child.exited).signal).toBe('SIGSEGV')
    await child.end('crashed', { ...AT_ONCE, onKilled: (s) => signals.push(s) })
    expect(signals).toEqual([])
  })

  test('keeps the first cause, ends once, and a later call can cut the exit grace short', async () => {
    const child = await start('forever')
    await reader(child).line()
    const from = monotonicMs()
    const first = child.end('done', { ...AT_ONCE, exitGraceMs: 60_000 })
    const second = child.end('shutdown', AT_ONCE)
    await Promise.all([first, second])
    expect(monotonicMs() - from).toBeLessThan(10_000)
    expect(child.endCause).toBe('done')
  })
})

describe('a grandchild that ignores SIGTERM', () => {
  const traits = ['', 'hold', 'session', 'hold session']
  const endings = ['stay', 'exit', 'crash']
  test.each(traits.flatMap((trait) => endings.map((ending) => ({ trait, ending }))))(
    'is gone after the end of a leader that would $ending ($trait)',
    async ({ trait, ending }) => {
      const child = await start('grandchild', [ending, ...trait.split(' ')])
      const output = reader(child)
      const grandchild = pidIn(await output.line())
      expect(lives(grandchild)).toBe(true)
      if (ending !== 'stay') await child.exited
      await child.end('cancelled', { ...AT_ONCE, killGraceMs: 100 })
      expect(lives(grandchild)).toBe(false)
      expect(await output.rest()).toEqual([])
    },
  )

  test('that holds stdout does not delay the end of the lines', async () => {
    const child = await start('grandchild', ['exit', 'hold'])
    const output = reader(child)
    const grandchild = pidIn(await output.line())
    await child.exited
    const from = monotonicMs()
    expect(await output.rest()).toEqual([])
    expect(monotonicMs() - from).toBeLessThan(250 + SLACK_MS)
    expect(lives(grandchild)).toBe(true)
    await child.end('done', AT_ONCE)
    expect(lives(grandchild)).toBe(false)
  })

  test('that keeps printing does not keep the lines open', async () => {
    const child = await start('grandchild', ['exit', 'hold', 'chatty'])
    const output = reader(child)
    await child.exited
    const from = monotonicMs()
    const lines = await output.rest()
    expect(monotonicMs() - from).toBeLessThan(250 + SLACK_MS)
    expect(lines.some((line) => line.startsWith('grandchild'))).toBe(true)
    await child.end('done', AT_ONCE)
  })

  test('is gone too when the group is known by its pid only', async () => {
    const child = await start('grandchild', ['stay', 'session'])
    const grandchild = pidIn(await reader(child).line())
    await endGroup(child.pid, AT_ONCE)
    expect([lives(child.pid), lives(grandchild)]).toEqual([false, false])
    await child.end('crashed', AT_ONCE)
  })
})

test('a helper that a thread of the leader started is gone, far away as it is', async () => {
  const child = await start('thread-helper')
  const helper = pidIn(await reader(child).line())
  const end = child.end('done', { ...AT_ONCE, exitGraceMs: 60_000 })
  child.endStdin()
  await end
  expect((await child.exited).signal).toBe(null)
  expect(lives(helper)).toBe(false)
})

test('out of file descriptors a child that exits by itself is waited for all the same', async () => {
  const program = `
    import { openSync } from 'node:fs'
    import { startChild } from '${new URL('../../dist/src/process/child.js', import.meta.url).href}'
    const child = await startChild({
      command: '/bin/sh', args: ['-c', 'read line'], cwd: '/', env: {}, maxLineBytes: 1000,
    })
    try {
      for (;;) openSync('/dev/null')
    } catch (error) {
      console.log(error.code)
    }
    const calm = () => Promise.resolve()
    const end = child.end('done', { exitGraceMs: 60_000, killGraceMs: 100, hasPs: true, calm })
    child.sendAndEnd('text\\n')
    await end
    console.log(await child.exited)`
  const shell = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"'
  const said = execFileSync('/bin/sh', ['-c', shell, process.execPath, program], {
    encoding: 'utf8',
  })
  expect(said).toBe('EMFILE\n{ code: 0, signal: null }\n')
})

test('a zombie in the group counts as gone', async () => {
  // `sleep` never reaps the child that the shell left to it.
  const child = await start('', [], {
    command: '/bin/sh',
    args: ['-c', 'sleep 0 & echo $!; exec sleep 100'],
  })
  const zombie = Number(await reader(child).line())
  await until('the zombie', 5_000, () => !lives(zombie))
  const from = monotonicMs()
  await child.end('cancelled', { ...AT_ONCE, killGraceMs: 10_000 })
  expect(monotonicMs() - from).toBeLessThan(SLACK_MS)
})

test('ending a group that never was is fine and signals nothing', async () => {
  const signals: string[] = []
  const child = await start('exit')
  await child.end('done', AT_ONCE)
  await endGroup(child.pid, { ...AT_ONCE, onKilled: (s) => signals.push(s) })
  expect(signals).toEqual([])
})

test('a pid that now belongs to somebody else is left alone', async () => {
  const child = await start('forever')
  await reader(child).line()
  await endGroup(child.pid, { ...AT_ONCE, startTime: '1@00000000' })
  expect(lives(child.pid)).toBe(true)
  await child.end('done', AT_ONCE)
})

test('fifty children leave no descriptor behind, whatever became of their output', async () => {
  const cycle = async (i: number): Promise<void> => {
    const child = await start('exit', [String(i % 3), 'some text'])
    if (i % 3 === 0) await reader(child).rest()
    if (i % 3 === 1) child.sendAndEnd('x'.repeat(100_000))
    await child.end('done', AT_ONCE)
  }
  await cycle(0)
  const before = descriptors()
  for (let i = 0; i < 50; i += 5) await Promise.all([0, 1, 2, 3, 4].map((j) => cycle(i + j)))
  await until('the descriptors to be closed', 5_000, () => descriptors() <= before)
})
