// Entry of every worker thread (piscina loads it by file name): one seat with the real backends.
import { workerData } from 'node:worker_threads'
import type { WorkerSettings } from '../src/backends/backend.ts'
import { backendFor } from '../src/backends/choose.ts'
import { serveSeat } from './serve-seat.ts'

// Set by threads.ts of the pool in the same build; crosses as structured clone and is trusted.
const settings: WorkerSettings = workerData

export default serveSeat(settings, backendFor)
