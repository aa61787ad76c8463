// How the heaps of this process grow.
import { setFlagsFromString } from 'node:v8'

/**
 * How much a heap may grow from one full collection to the next, in percent of what lives in it. Left alone, V8 lets the
 * garbage of a long answer pile up (measured: the peak was 60 MB higher at 1,000,000 events than at 300,000 and went on
 * rising; with this 10 MB and level, at the same rate). Source: V8's flag list; read at every full collection, so setting
 * it late is in time.
 */
const GROWING_PERCENT = 30

/** Half-space of a worker thread's young objects ×3, MB: its default of 48 is for programs, not for relays. */
export const YOUNG_HEAP_MB = 3

/** For this thread and those started later. */
export function keepHeapsSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
}
