// The agent program without the service: cold runs, parked ones, and the bare pipe.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { type JsonObject, numberAt, stringAt } from '../../../src/lib/json.ts'
import { type Measured, serveTasks } from '../helper.ts'
import { agentFolders, startAgent } from './agent.ts'
import { stampReader } from './stamps.ts'
import { FIRST_TEXT, nowMs } from './wire.ts'

let parked: ChildProcessWithoutNullStreams[] = []

async function work(task: JsonObject): Promise<Measured> {
  const times = numberAt(task, 'times') ?? 1
  switch (stringAt(task, 'do') ?? '') {
    case 'cold': {
      const folders = agentFolders()
      const startMs = nowMs()
      return together([prompted(startAgent(folders), startMs)])
    }
    case 'park':
      parked = Array.from({ length: times }, () => startAgent(agentFolders()))
      return {}
    case 'prompt': {
      const startMs = nowMs()
      return together(parked.map((agent) => prompted(agent, startMs)))
    }
    case 'relay':
      return relay(times)
    case 'burst':
      return burst(stringAt(task, 'question') ?? '')
    default:
      throw new Error(`no such task: ${JSON.stringify(task)}`)
  }
}

async function together(runs: readonly Promise<readonly [number, number]>[]): Promise<Measured> {
  const done = await Promise.all(runs)
  return { firstMs: done.map(([first]) => first), totalMs: done.map(([, total]) => total) }
}

/** First text and end of output, from `startMs`. */
async function prompted(
  agent: ChildProcessWithoutNullStreams,
  startMs: number,
): Promise<readonly [number, number]> {
  let firstMs = Number.NaN
  agent.stdout.on('data', (chunk: Buffer) => {
    if (Number.isNaN(firstMs) && chunk.includes(FIRST_TEXT)) firstMs = nowMs() - startMs
  })
  agent.stdin.end('short')
  await once(agent.stdout, 'end')
  return [firstMs, nowMs() - startMs]
}

async function relay(streams: number): Promise<Measured> {
  const readers = Array.from({ length: streams }, stampReader)
  await Promise.all(
    readers.map(async (reader) => {
      const agent = startAgent(agentFolders())
      agent.stdout.on('data', (chunk: Buffer) => reader.push(chunk, nowMs()))
      agent.stdin.end('stamps')
      await once(agent.stdout, 'end')
    }),
  )
  return { lateMs: readers.flatMap(({ lateMs }) => lateMs) }
}

/** From the first byte to the last. */
async function burst(question: string): Promise<Measured> {
  const agent = startAgent(agentFolders())
  let firstAtMs = Number.NaN
  let lastAtMs = 0
  let bytes = 0
  agent.stdout.on('data', (chunk: Buffer) => {
    lastAtMs = nowMs()
    if (Number.isNaN(firstAtMs)) firstAtMs = lastAtMs
    bytes += chunk.length
  })
  agent.stdin.end(question)
  await once(agent.stdout, 'end')
  return { ms: [lastAtMs - firstAtMs], bytes: [bytes] }
}

serveTasks(work)
