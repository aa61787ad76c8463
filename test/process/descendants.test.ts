import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseStat, processLives, readStat } from '../../src/lib/process-identity.ts'
import {
  descendantsOf,
  hasChildren,
  listProcesses,
  type ProcessFact,
  parsePs,
  startTimeOf,
} from '../../src/process/descendants.ts'
import { isOfInstance, markerIn } from '../../src/process/marker.ts'
import { AT_ONCE, leftOvers, reader, start } from './start.ts'

const fact = (pid: number, ppid: number): ProcessFact => ({
  pid,
  ppid,
  group: pid,
  session: pid,
  startTime: '1@x',
  zombie: false,
})

test('descendants are children of children, at any depth and in any order, never the process itself', () => {
  const all = [fact(5, 4), fact(4, 2), fact(3, 2), fact(2, 1), fact(9, 1), fact(1, 0)]
  expect(new Set(descendantsOf(2, all).map((one) => one.pid))).toEqual(new Set([3, 4, 5]))
  expect(descendantsOf(9, all)).toEqual([])
})

test('a table that changed while it was read cannot make it loop', () => {
  expect(descendantsOf(1, [fact(2, 3), fact(3, 2), fact(2, 1), fact(1, 3)])).toHaveLength(2)
})

const FIELDS = '7360 7359 3375 0 -1 4194304 97 0 0 0 0 0 0 0 20 0 1 0 88085 3133440 362'

test.each([
  ['cat', 'S', false],
  ['a) S 1 2 3 (b', 'R', false],
  ['line\nbreak', 'Z', true],
])('the stat line of a command named %j is read', (command, state, zombie) => {
  expect(parseStat(`7371 (${command}) ${state} ${FIELDS}`, 'boot')).toEqual({
    pid: 7371,
    ppid: 7360,
    group: 7359,
    session: 3375,
    startTime: '88085@boot',
    zombie,
  })
})

test('a process whose main thread ended before the others is no zombie', () => {
  const fields = FIELDS.replace('20 0 1 0 88085', '20 0 4 0 88085')
  expect(parseStat(`1 (x) Z ${fields}`, '')?.zombie).toBe(false)
})

test.each(['', 'x', '12 (cut', '12 (cut) S 1'])('%j is no stat line', (text) => {
  expect(parseStat(text, '')).toBeUndefined()
})

test('this process is in the table, with the start time that is asked for alone', async () => {
  const own = (await listProcesses()).find((one) => one.pid === process.pid)
  expect(own).toMatchObject({ ppid: process.ppid, zombie: false })
  expect(await startTimeOf(process.pid)).toBe(own?.startTime)
  expect(processLives(process.pid, own?.startTime)).toBe(true)
  expect(processLives(process.pid, '1@x')).toBe(false)
  expect(readStat(0x7ffffffe)).toBeUndefined()
})

test('what ps prints is read like what /proc says', async () => {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const byPs = parsePs(text).find((one) => one.pid === process.pid)
  const own = readStat(process.pid)
  expect(byPs).toMatchObject({ ppid: own?.ppid, group: own?.group, zombie: false })
  expect(byPs?.startTime).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/)
})

test('parsing ps keeps zombies apart and ignores what is no row', () => {
  const rows =
    '  1     0     1 Ss   Mon Nov 30 02:00:00 2026\n 22 1 1 Z+ Mon Nov 30 02:00:01 2026\nps: error\n'
  expect(parsePs(rows).map((one) => [one.pid, one.zombie])).toEqual([
    [1, false],
    [22, true],
  ])
})

test.each([
  ['CURSOR_ADAPTER_CHILD=abc.1\0PATH=/bin\0', 'abc.1'],
  ['PATH=/bin\0CURSOR_ADAPTER_CHILD=abc', 'abc'],
  ['PATH=/bin\0XCURSOR_ADAPTER_CHILD=abc\0', undefined],
  ['PATH=CURSOR_ADAPTER_CHILD=abc\0', undefined],
  ['', undefined],
])('the marker in %j is %j', (environ, marker) => {
  expect(markerIn(environ)).toBe(marker)
})

test('a marker belongs to its instance, not to one with a longer name', () => {
  expect([
    isOfInstance('abc', 'abc'),
    isOfInstance('abc.12', 'abc'),
    isOfInstance('abcd', 'abc'),
    isOfInstance('abcd.12', 'abc'),
    isOfInstance(undefined, 'abc'),
  ]).toEqual([true, true, false, false, false])
})

test.runIf(process.platform === 'linux')(
  'whether a process has a child is seen at once',
  async () => {
    const children = [await start('grandchild', ['stay']), await start('forever')]
    const known = children.map(async (child) => {
      await reader(child).line()
      return hasChildren(child.pid)
    })
    expect(await Promise.all(known)).toEqual([true, false])
    await Promise.all(children.map((child) => child.end('cancelled', AT_ONCE)))
    expect(hasChildren(children[0]?.pid ?? 0)).toBeUndefined()
    expect(leftOvers()).toEqual([])
  },
)
