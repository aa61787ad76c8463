// close-at-once.js <folder> <rounds>: pools that are closed as soon as their threads have said hello, on a busy machine.
// A program of its own, because what it may provoke ends the whole process.
import { Worker } from 'node:worker_threads'
import { silentTelemetry } from '../../../src/core/telemetry.ts'
import { createPool } from '../../../src/pool/pool.ts'

const THREADS = 3
const [folder = '', rounds = '1'] = process.argv.slice(2)
const ignore = (): void => undefined

function round(): Promise<void> {
  return new Promise((resolve, reject) => {
    let hellos = 0
    const pool = createPool({
      workerFile: new URL('../../../workers/agent.js', import.meta.url),
      worker: {
        instance: 'closeatonce0',
        scratchRoot: folder,
        ledgerDir: folder,
        exitGraceMs: 500,
        killGraceMs: 200,
        creditBytes: 1 << 18,
        hasPs: true,
      },
      concurrency: THREADS,
      maxParked: 0,
      maxWaiting: 1,
      warm: 0,
      warmIdleMs: 60_000,
      restarts: { count: 5, withinMs: 60_000 },
      onLoad: () => {
        hellos += 1
        if (hellos === THREADS) pool.close(0).then(resolve, reject)
      },
      telemetry: silentTelemetry,
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    })
  })
}

const busy = Array.from({ length: 3 }, () => new Worker('for (;;);', { eval: true }))
for (let left = Number(rounds); left > 0; left -= 1) await round()
await Promise.all(busy.map((thread) => thread.terminate()))
process.stdout.write('closed\n')
