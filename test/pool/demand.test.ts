import { expect, test } from 'vitest'
import { type LaunchProfile, profileKey } from '../../src/core/job.ts'
import { Demand } from '../../src/pool/demand.ts'
import { PROFILE } from './support/pool-harness.ts'

const A: LaunchProfile = { ...PROFILE, model: 'a' }
const B: LaunchProfile = { ...PROFILE, model: 'b' }
const C: LaunchProfile = { ...PROFILE, model: 'c' }
const all = () => true

function demand(uses: readonly (readonly [LaunchProfile, number])[]): Demand {
  const result = new Demand()
  for (const [profile, atMs] of uses) result.used(profile, profileKey(profile), atMs)
  return result
}

function shares(of: Demand, count: number, nowMs: number): Record<string, number> {
  const entries = [...of.shares(count, nowMs, all)]
  return Object.fromEntries(entries.map(([key, share]) => [of.profile(key)?.model, share]))
}

test('the only spare goes to what was used most and last', () => {
  expect(shares(demand([[A, 0]]), 1, 1)).toEqual({ a: 1 })
  const oftenA = demand([
    [A, 0],
    [A, 1],
    [B, 2],
  ] as const)
  expect(shares(oftenA, 1, 3)).toEqual({ a: 1 })
  const longAgoA = demand([
    [A, 0],
    [A, 1],
    [B, 60_000],
  ] as const)
  expect(shares(longAgoA, 1, 60_001)).toEqual({ b: 1 })
})

test('several spares are shared by weight', () => {
  const equal = demand([
    [A, 0],
    [B, 1],
    [C, 2],
  ] as const)
  expect(shares(equal, 3, 3)).toEqual({ a: 1, b: 1, c: 1 })
  const mostlyA = demand([
    [A, 0],
    [A, 1],
    [A, 2],
    [B, 3],
  ] as const)
  expect(shares(mostlyA, 4, 4)).toEqual({ a: 3, b: 1 })
})

test('an expected profile counts until something was really asked for', () => {
  const first = new Demand()
  first.expect(A, profileKey(A), 0)
  expect(shares(first, 1, 100_000)).toEqual({ a: 1 })
  first.used(B, profileKey(B), 100_000)
  expect(shares(first, 1, 100_001)).toEqual({ b: 1 })
})

test('profiles that are not eligible get no share', () => {
  const both = demand([
    [A, 0],
    [B, 1],
  ] as const)
  expect([...both.shares(2, 2, ({ model }) => model === 'b')]).toEqual([[profileKey(B), 2]])
  expect(both.shares(2, 2, () => false).size).toBe(0)
})

test('a new version makes the profiles of the old one forgotten', () => {
  const old = demand([
    [A, 0],
    [B, 1],
  ] as const)
  old.onlyVersion('/bin/sh', '2')
  expect(old.shares(1, 2, all).size).toBe(0)
})

test('the peak is the most active runs of the last minute', () => {
  const peaks = new Demand()
  peaks.active(3, 1_000)
  peaks.active(5, 2_000)
  peaks.active(1, 30_000)
  expect(peaks.peak(40_000)).toBe(5)
  expect(peaks.peak(63_000)).toBe(1)
  peaks.active(2, 100_000)
  expect(peaks.peak(100_000)).toBe(2)
})

test('a score halves every 20 s and old profiles but the last are forgotten', () => {
  const one = demand([[A, 0]])
  expect(one.score(profileKey(A), 20_000)).toBeCloseTo(0.5)
  one.used(B, profileKey(B), 200_000)
  expect(one.profile(profileKey(A))).toBeUndefined()
  expect(one.profile(profileKey(B))).toEqual(B)
})
