// A child's share of the processor: its own niceness, and on Linux that of its session.
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { AT_ONCE, leftOvers, reader, start } from './start.ts'

afterEach(() => {
  expect(leftOvers()).toEqual([])
})

const OWN = getPriority()
// Not every kernel weighs sessions (CONFIG_SCHED_AUTOGROUP).
const weighsSessions = existsSync('/proc/self/autogroup')
const shareOf = (pid: number): string => readFileSync(`/proc/${pid}/autogroup`, 'utf8')

test('a child steps back as far as asked, and so does what it starts later', async () => {
  const child = await start('grandchild', ['stay'], { nice: OWN + 4 })
  const grandchild = Number((await reader(child).line())?.split(' ')[1])
  expect(getPriority(child.pid)).toBe(OWN + 4)
  expect(getPriority(grandchild)).toBe(OWN + 4)
  await child.end('cancelled', AT_ONCE)
})

test('one that is not asked to competes like its parent', async () => {
  const children = await Promise.all([start('forever'), start('forever', [], { nice: 0 })])
  for (const child of children) {
    await reader(child).line()
    expect(getPriority(child.pid)).toBe(OWN)
    if (weighsSessions) expect(shareOf(child.pid)).toMatch(/ nice 0$/m)
    await child.end('cancelled', AT_ONCE)
  }
})

test.runIf(weighsSessions)(
  'the sessions of several children step back too, one by one where the kernel wants it',
  async () => {
    const children = await Promise.all([1, 2, 3].map(() => start('forever', [], { nice: OWN + 4 })))
    await until('all sessions have stepped back', 10_000, () =>
      children.every(({ pid }) => shareOf(pid).includes(` nice ${OWN + 4}`)),
    )
    await Promise.all(children.map((child) => child.end('cancelled', AT_ONCE)))
  },
)

test('a child that is gone at once is left alone', async () => {
  const child = await start('exit', ['0'], { nice: OWN + 4 })
  expect((await child.exited).signal).toBe(null)
  await child.end('done', AT_ONCE)
})
