// What goes through a child's pipes, and what happens when one side does not play along.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startChild } from '../../src/process/child.ts'
import { hasPs } from '../../src/process/descendants.ts'
import type { Ledger } from '../../src/process/ledger.ts'
import {
  AT_ONCE,
  descriptors,
  leftOvers,
  lives,
  pidIn,
  program,
  reader,
  start,
  temporaryFolder,
} from '../process/start.ts'
import { until } from '../support/until.ts'

const folder = temporaryFolder()
afterAll(() => {
  rmSync(folder, { recursive: true })
})

afterEach(() => {
  expect(leftOvers()).toEqual([])
})

const FIVE_MB = 'é'.repeat(2_500_000)

test('five megabytes reach a child that reads them, byte for byte', async () => {
  const child = await start('until-eof')
  const output = reader(child)
  child.sendAndEnd(FIVE_MB)
  expect(await output.rest()).toEqual(['ready', '5000000'])
  await child.end('done', AT_ONCE)
})

test('a child that exits before it read five megabytes is just an exit', async () => {
  const child = await start('exit', ['3', 'no thanks'])
  child.sendAndEnd(FIVE_MB)
  expect(await child.exited).toEqual({ code: 3, signal: null })
  await child.stderrRead
  expect(child.stderrTail()).toBe('no thanks')
  child.write('late')
  child.endStdin()
  await child.end('crashed', AT_ONCE)
})

test('a child that closes its stdin unread and lives on harms nobody', async () => {
  const child = await start('close-stdin')
  const output = reader(child)
  expect(await output.line()).toBe('closed')
  child.sendAndEnd(FIVE_MB)
  const healthy = await start('until-eof')
  healthy.sendAndEnd('hello')
  expect(await reader(healthy).rest()).toEqual(['ready', '5'])
  await Promise.all([child.end('cancelled', AT_ONCE), healthy.end('done', AT_ONCE)])
  expect(child.stderrTail()).toBe('')
})

test('characters written one byte at a time arrive whole', async () => {
  const text = JSON.stringify({ text: '中文 😀 é' })
  const child = await start('bytewise', [text])
  expect(await reader(child).rest()).toEqual([text])
  await child.end('done', AT_ONCE)
})

test('a child that is faster than its reader is held back, and memory stays bounded', async () => {
  const child = await start('chatty', ['100', 'stay'])
  const batches = child.lines()[Symbol.asyncIterator]()
  await batches.next()
  const before = process.memoryUsage().rss
  let ticks = -1
  // A child that still writes uses the processor; one that is blocked on its pipe does not.
  await until('the child to be blocked on its output', 15_000, async () => {
    const last = ticks
    ticks = processorTicks(child.pid)
    await new Promise((resolve) => setTimeout(resolve, 100))
    return ticks === last
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(30 << 20)
  let bytes = 0
  for (let step = await batches.next(); step.done !== true; step = await batches.next()) {
    for (const line of step.value.lines) bytes += line.length + 1
    if (step.value.lines.at(-1) === 'end') break
  }
  expect(bytes).toBeGreaterThan(90 << 20)
  expect(process.memoryUsage().rss - before).toBeLessThan(150 << 20)
  await child.end('cancelled', AT_ONCE)
})

/** User and system time so far, clock ticks. Source: proc(5), fields 14 and 15. */
function processorTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

test('a slow reader gets every line of a child that is long gone', async () => {
  const child = await start('chatty', ['1'])
  const seen: number[] = []
  let end = ''
  for await (const batch of child.lines()) {
    seen.push(batch.lines.length)
    end = batch.lines.at(-1) ?? end
    // Longer in all than the time that is waited for a pipe after the exit.
    if (seen.length < 8) await new Promise((resolve) => setTimeout(resolve, 60))
  }
  expect(seen.reduce((sum, lines) => sum + lines, 0)).toBe(1025)
  expect(end).toBe('end')
  await child.end('done', AT_ONCE)
})

test('ending a child that nobody reads does not hang and closes its pipes', async () => {
  const before = descriptors()
  const child = await start('chatty', ['4'])
  await child.spoke
  await child.end('discarded', { ...AT_ONCE, exitGraceMs: 10_000 })
  expect(await child.exited).toEqual({ code: 0, signal: null })
  await until('the pipes to be closed', 5_000, () => descriptors() <= before)
})

test('a reader that leaves early does not block the child', async () => {
  const child = await start('chatty', ['4'])
  for await (const batch of child.lines()) {
    expect(batch.lines.length).toBeGreaterThan(0)
    break
  }
  expect(await child.exited).toEqual({ code: 0, signal: null })
  await child.end('done', AT_ONCE)
})

test('a spare that speaks before it is asked is noticed, and nothing it said is lost', async () => {
  const child = await start('forever')
  await child.spoke
  expect(await reader(child).line()).toBe('ready')
  await child.end('discarded', AT_ONCE)
})

test('a silent spare has not spoken', async () => {
  const child = await start('exit')
  let spoke = false
  void child.spoke.then(() => {
    spoke = true
  })
  await child.exited
  expect(await reader(child).rest()).toEqual([])
  expect(spoke).toBe(false)
  await child.end('done', AT_ONCE)
})

test('lines over the limit are dropped and counted', async () => {
  const child = await start('chatty', ['1'], { maxLineBytes: 100 })
  let tooLong = 0
  const lines: string[] = []
  for await (const batch of child.lines()) {
    tooLong += batch.tooLong
    lines.push(...batch.lines)
  }
  expect({ tooLong, lines }).toEqual({ tooLong: 1024, lines: ['end'] })
  await child.end('done', AT_ONCE)
})

test('the lines have one consumer', async () => {
  const child = await start('exit')
  child.lines()
  expect(() => child.lines()).toThrow('single consumer')
  await child.end('done', AT_ONCE)
})

test.each([
  ['a program that does not exist', { command: '/nonexistent/agent' }, 'ENOENT'],
  ['a working folder that does not exist', { cwd: '/nonexistent' }, 'ENOENT'],
  ['a file that is not executable', { command: notExecutable() }, 'EACCES'],
  ['an argument the system cannot take', { args: ['x'.repeat(3 << 20)] }, 'E2BIG'],
])('%s is a rejection that leaves no descriptor', async (_name, spec, code) => {
  const before = descriptors()
  const started = startChild({
    command: program('exit'),
    args: [],
    cwd: tmpdir(),
    env: {},
    maxLineBytes: 1000,
    ...spec,
  })
  await expect(started).rejects.toMatchObject({ code })
  await until('the descriptors to be closed', 5_000, () => descriptors() <= before)
})

test('the ledger knows the group before anybody else does, and forgets it when it is gone', async () => {
  const facts: string[] = []
  const ledger: Ledger = {
    record: (entry) => facts.push(`record ${entry.pid} ${entry.folders.join()}`),
    forget: (pid) => facts.push(`forget ${pid} ${lives(pid) ? 'alive' : 'gone'}`),
  }
  const child = await start('forever', [], { ledger, folders: ['/a', '/b'] })
  expect(facts).toEqual([`record ${child.pid} /a,/b`])
  await child.end('done', AT_ONCE)
  expect(facts.slice(1)).toEqual([`forget ${child.pid} gone`])
})

test('a child that cannot be recorded is not kept', async () => {
  let pid = 0
  const ledger: Ledger = {
    record: (entry) => {
      pid = entry.pid
      throw new Error('disk full')
    },
    forget: () => undefined,
  }
  await expect(start('forever', [], { ledger })).rejects.toThrow('disk full')
  expect(pid).toBeGreaterThan(1)
  await until('the child to be gone', 5_000, () => !lives(pid))
})

test('without ps on the PATH whole trees are ended all the same', async () => {
  const path = process.env.PATH
  process.env.PATH = '/nonexistent'
  try {
    expect(await hasPs()).toBe(false)
    const child = await start('grandchild', ['stay', 'session'], { env: {} })
    const grandchild = pidIn(await reader(child).line())
    await child.end('cancelled', { ...AT_ONCE, hasPs: false })
    expect([lives(child.pid), lives(grandchild)]).toEqual([false, false])
  } finally {
    process.env.PATH = path
  }
  expect(await hasPs()).toBe(true)
})

function notExecutable(): string {
  const path = join(folder, 'agent')
  writeFileSync(path, 'text', { mode: 0o600 })
  return path
}
