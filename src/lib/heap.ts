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
  youngHeapMayGrow(false)
}

/**
 * Whether the half-space for young objects of this thread grows with what survives in it, from 1 to 16 MB (V8's own way),
 * or stays as it is. Growing makes many short answers a fifth cheaper and a few slow readers 35 MB dearer (measured).
 * Starting a thread lets it grow again (V8: heap.cc, ConfigureHeap; checked with Node 20 and 24), so it is to be called
 * after each. It shrinks by itself when nothing happens.
 */
export function youngHeapMayGrow(may: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`)
}
