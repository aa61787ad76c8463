import { expect, test } from 'vitest'
import { WarmHealth } from '../../src/pool/warm-health.ts'
import { PROFILE } from './support/pool-harness.ts'

const LIMIT = { count: 2, withinMs: 60_000 }
const NEWER = { ...PROFILE, cliVersion: '2' }

test('two spoiled spares in a row switch warming off for that binary only', () => {
  const health = new WarmHealth({ count: 9, withinMs: 60_000 })
  expect(health.spoiled(PROFILE, 'it spoke', 0)).toBe(false)
  health.proven(PROFILE)
  expect(health.spoiled(PROFILE, 'it spoke', 1)).toBe(false)
  expect(health.spoiled(PROFILE, 'it exited', 2)).toBe(true)
  expect(health.off()).toEqual({ '/bin/sh': 'it exited' })
  expect(health.mayWarm(PROFILE, 3)).toBe(false)
  expect(health.mayWarm({ ...PROFILE, binary: '/bin/other' }, 3)).toBe(true)
})

test('another version of the binary starts with a clean slate', () => {
  const health = new WarmHealth({ count: 9, withinMs: 60_000 })
  health.spoiled(PROFILE, 'it spoke', 0)
  health.spoiled(PROFILE, 'it spoke', 1)
  expect(health.mayWarm(NEWER, 2)).toBe(true)
  expect(health.spoiled(NEWER, 'it spoke', 3)).toBe(false)
  expect(health.off()).toEqual({})
})

test('a run that ends well a minute later gives the binary another chance', () => {
  const health = new WarmHealth({ count: 9, withinMs: 60_000 })
  health.spoiled(PROFILE, 'it exited', 0)
  health.spoiled(PROFILE, 'it exited', 1)
  health.succeeded(PROFILE, 30_000)
  expect(health.mayWarm(PROFILE, 30_001)).toBe(false)
  health.succeeded(PROFILE, 60_001)
  expect(health.mayWarm(PROFILE, 60_002)).toBe(true)
})

test('more failed launches than allowed within the period pause warming until they are old enough', () => {
  const health = new WarmHealth(LIMIT)
  for (const atMs of [0, 10, 20]) health.launchFailed(atMs)
  expect(health.mayWarm(PROFILE, 30)).toBe(false)
  expect(health.mayWarm(PROFILE, 60_001)).toBe(true)
  health.launchFailed(60_002)
  expect(health.mayWarm(PROFILE, 60_003)).toBe(false)
})

test('a profile whose prompt goes through argv is never warmed', () => {
  expect(new WarmHealth(LIMIT).mayWarm({ ...PROFILE, promptVia: 'argv' }, 0)).toBe(false)
})
