// The least a pool can be: piscina with five threads, each task starts the agent program and reads its answer.
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { type JsonObject, numberAt } from '../../../src/lib/json.ts'
import { type Measured, serveTasks } from '../helper.ts'
import { nowMs } from './wire.ts'

const THREADS = 5

const pool = new Piscina<string, string>({
  filename: fileURLToPath(new URL('./bare-worker.js', import.meta.url)),
  minThreads: THREADS,
  maxThreads: THREADS,
})

async function work(task: JsonObject): Promise<Measured> {
  let left = numberAt(task, 'requests') ?? 1
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const said = await pool.run(`short ${left}`)
      if (!said.includes('"type":"result"')) throw new Error(`no answer: ${said}`)
    }
  }
  const startMs = nowMs()
  await Promise.all(Array.from({ length: numberAt(task, 'clients') ?? 1 }, client))
  return { ms: [nowMs() - startMs] }
}

serveTasks(work)
