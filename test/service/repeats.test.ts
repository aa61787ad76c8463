import { expect, test } from 'vitest'
import { chooseRepeat, type Earlier, type RepeatChoice } from '../../src/service/repeats.ts'

const running = (readers: number): Earlier => ({ at: 'running', readers })
const finished = (delivered: boolean, kept: boolean): Earlier => ({
  at: 'finished',
  delivered,
  kept,
})
const failed = (worked: boolean): Earlier => ({ at: 'failed', worked })

interface Row {
  readonly what: string
  readonly earlier: Earlier | undefined
  readonly hasConversation?: boolean
  readonly saysRetry?: boolean
  readonly join?: boolean
  readonly choice: RepeatChoice
}

const ROWS: readonly Row[] = [
  { what: 'nothing equal came before', earlier: undefined, choice: 'anew' },
  { what: 'two equal ones side by side without an id', earlier: running(1), choice: 'anew' },
  {
    what: 'two side by side in one conversation',
    earlier: running(1),
    hasConversation: true,
    choice: 'join',
  },
  {
    what: 'a marked retry while the first still reads',
    earlier: running(1),
    saysRetry: true,
    choice: 'join',
  },
  { what: 'back within the grace', earlier: running(0), hasConversation: true, choice: 'join' },
  {
    what: 'back within the grace, joining off',
    earlier: running(0),
    hasConversation: true,
    join: false,
    choice: 'after',
  },
  {
    what: 'side by side, joining off',
    earlier: running(1),
    hasConversation: true,
    join: false,
    choice: 'anew',
  },
  { what: 'the first was cancelled', earlier: { at: 'cancelled' }, choice: 'after' },
  {
    what: 'a delivered reply is never replayed',
    earlier: finished(true, true),
    hasConversation: true,
    choice: 'anew',
  },
  {
    what: 'a delivered reply, even for a marked retry',
    earlier: finished(true, true),
    saysRetry: true,
    choice: 'anew',
  },
  { what: 'an undelivered reply', earlier: finished(false, true), choice: 'replay' },
  {
    what: 'an undelivered reply too large to keep',
    earlier: finished(false, false),
    choice: 'lost',
  },
  { what: 'a failure after work', earlier: failed(true), choice: 'fail-again' },
  {
    what: 'a failure after work, joining off',
    earlier: failed(true),
    join: false,
    choice: 'fail-again',
  },
  { what: 'a failure before work', earlier: failed(false), choice: 'anew' },
]

test.each(ROWS)('$what: $choice', (row) => {
  const { earlier, hasConversation = false, saysRetry = false, join = true, choice } = row
  expect(chooseRepeat({ earlier, hasConversation, saysRetry, join })).toBe(choice)
})
