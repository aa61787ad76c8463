import { expect, test } from 'vitest'
import { checkClocks } from '../../src/pool/clocks.ts'

const LIMITS = { timeoutMs: 1_000, stallMs: 300 }

test.each([
  { granted: 0, quietSince: 0, now: 100, expired: undefined, againMs: 200 },
  { granted: 0, quietSince: 0, now: 300, expired: 'stall', againMs: 0 },
  { granted: 0, quietSince: 900, now: 950, expired: undefined, againMs: 50 },
  { granted: 0, quietSince: 999, now: 1_000, expired: 'timeout', againMs: 0 },
  { granted: 0, quietSince: undefined, now: 400, expired: undefined, againMs: 300 },
  { granted: 0, quietSince: undefined, now: 1_000, expired: 'timeout', againMs: 0 },
])('at $now, quiet since $quietSince: $expired, look again in $againMs ms', (row) => {
  const { expired, againMs } = checkClocks(LIMITS, row.granted, row.quietSince, row.now)
  expect({ expired, againMs }).toEqual({ expired: row.expired, againMs: row.againMs })
})
