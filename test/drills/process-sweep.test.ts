// A service that was killed hard, and the next one that cleans up after it. Uses the compiled modules, as the service does.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instanceIsLive, openLedger, sweepLedger } from '../../src/process/ledger.ts'
import { sweepScratch } from '../../src/workspace/scratch.ts'
import { AT_ONCE, leftOvers, lives, pidIn, program, temporaryFolder } from '../process/start.ts'
import { until } from '../support/until.ts'

const DIST = join(import.meta.dirname, '../../dist')
/** Instances of this test run only: a sweep ends whatever carries a dead instance's marker. */
const instanceOf = (letter: string): string => `${letter}${process.pid}`.padEnd(12, '0')
const OWN = instanceOf('o')
const KILLED = instanceOf('k')
const LIVING = instanceOf('l')

let root = ''
let services: ChildProcess[] = []

beforeEach(() => {
  root = temporaryFolder()
  mkdirSync(join(root, 'scratch'))
})

afterEach(() => {
  for (const service of services) service.kill('SIGKILL')
  services = []
  rmSync(root, { recursive: true })
  expect(leftOvers(KILLED)).toEqual([])
})

interface Running {
  readonly service: ChildProcess
  readonly child: number
  readonly folder: string
  /** The child's first line. */
  readonly said: string
}

async function serve(instance: string, name: string, args: string[] = []): Promise<Running> {
  const folders = [DIST, join(root, 'ledger'), join(root, 'scratch')]
  const service = spawn(
    process.execPath,
    [program('service'), ...folders, instance, program(name), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  services.push(service)
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]()
  const first: unknown = (await lines.next()).value
  const said: unknown = (await lines.next()).value
  const folder = String(first).split(' ')[2] ?? ''
  return { service, child: pidIn(String(first)), folder, said: String(said) }
}

async function killHard(service: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGKILL')
  await gone
}

async function sweep(): Promise<{ groupsEnded: number; foldersRemoved: number }> {
  return sweepLedger(join(root, 'ledger'), OWN, { ...AT_ONCE, killGraceMs: 100 })
}

test.each([
  ['deaf', []],
  ['grandchild', ['stay']],
  ['grandchild', ['stay', 'session', 'hold']],
  // The leader is dead when the sweep comes: only the marker tells whose its helper is.
  ['grandchild', ['exit', 'session']],
  ['grandchild', ['crash']],
])('%s %j and its folder are swept after a SIGKILL of its service', async (name, args) => {
  const { service, child, folder, said } = await serve(KILLED, name, args)
  const grandchild = said.startsWith('grandchild') ? pidIn(said) : child
  const leaves = args.some((arg) => arg === 'exit' || arg === 'crash')
  if (leaves) await until('the leader to be gone', 5_000, () => !lives(child))
  await killHard(service)
  expect(lives(grandchild)).toBe(true)
  expect(await sweep()).toEqual({ groupsEnded: 1, foldersRemoved: 1 })
  expect([lives(child), lives(grandchild), existsSync(folder)]).toEqual([false, false, false])
  expect(readdirSync(join(root, 'ledger'))).toEqual([])
  expect(await sweep()).toEqual({ groupsEnded: 0, foldersRemoved: 0 })
})

test('a service that lives keeps its children and folders, whoever sweeps beside it', async () => {
  const living = await serve(LIVING, 'deaf')
  const killed = await serve(KILLED, 'deaf')
  await killHard(killed.service)
  expect(await Promise.all([sweep(), sweep()])).toContainEqual({
    groupsEnded: 1,
    foldersRemoved: 1,
  })
  const isLive = (instance: string): boolean => instanceIsLive(join(root, 'ledger'), instance)
  expect(await sweepScratch(join(root, 'scratch'), isLive)).toBe(0)
  expect([lives(living.child), existsSync(living.folder), lives(killed.child)]).toEqual([
    true,
    true,
    false,
  ])
  expect(isLive(LIVING)).toBe(true)
  await killHard(living.service)
  expect(isLive(LIVING)).toBe(false)
  expect((await sweep()).groupsEnded).toBe(1)
})

test('another service with a ledger elsewhere does not lose its scratch folders', async () => {
  const living = await serve(LIVING, 'deaf')
  expect(await sweepScratch(join(root, 'scratch'), () => false)).toBe(0)
  expect(existsSync(living.folder)).toBe(true)
  await killHard(living.service)
  expect(await sweepScratch(join(root, 'scratch'), () => false)).toBe(1)
  expect((await sweep()).groupsEnded).toBe(1)
})

test('a pid that was given to somebody else, torn files and foreign names are left alone', async () => {
  const bystander = spawn(process.execPath, [program('forever')], {
    stdio: 'ignore',
    detached: true,
  })
  const pid = bystander.pid ?? 0
  const folder = join(root, 'ledger', KILLED)
  const ownFolder = join(root, 'precious')
  mkdirSync(ownFolder)
  openLedger(join(root, 'ledger'), KILLED).record({ pid, startTime: '1@x', folders: [ownFolder] })
  writeFileSync(join(folder, 'owner.json'), '{"pid":99999999,"startTime":"1@x","host":"')
  writeFileSync(join(folder, '123456.json'), '{"pid":')
  writeFileSync(join(folder, '123457.json'), '{"pid":1,"startTime":"0@x"}')
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  mkdirSync(join(root, 'ledger', 'not an instance'))
  expect(await sweep()).toEqual({ groupsEnded: 0, foldersRemoved: 0 })
  expect([lives(pid), existsSync(ownFolder)]).toEqual([true, true])
  expect(readdirSync(join(root, 'ledger')).sort()).toEqual([KILLED, 'not an instance'])
  expect(readdirSync(folder)).toEqual(['notes.txt'])
  bystander.kill('SIGKILL')
  await until('the bystander to be gone', 5_000, () => !lives(pid))
})
