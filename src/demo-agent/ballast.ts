// Memory that is taken and kept until the exit, as by an agent that has served many sessions.
import { numberAt } from '../lib/json.ts'
import type { Effect } from './stage.ts'

const MIB = 1024 ** 2
const PIECE_MIB = 64

const kept: Buffer[] = []

export const grow: Effect = (step, { journal }) => {
  let left = numberAt(step, 'grow') ?? 0
  while (left > 0) {
    const take = Math.min(left, PIECE_MIB)
    // Filled: pages that nobody wrote to are not resident.
    kept.push(Buffer.alloc(take * MIB, 1))
    left -= take
  }
  journal.fact('grown', { residentBytes: process.memoryUsage.rss() })
  return undefined
}
