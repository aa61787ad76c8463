// Measuring programs run in processes of their own, so that the client, the bare pipe and the bench do not slow down or
// measure each other. This is the bench's side: one task at a time, answered with named series of numbers.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isObject, type JsonObject } from '../../src/lib/json.ts'

/** What a task measured; times in milliseconds. */
export type Measured = Readonly<Record<string, readonly number[]>>

export interface Helper {
  readonly pid: number
  /** Rejects with the helper's own words when the task failed. */
  ask(task: Task): Promise<Measured>
  stop(): void
}

export type Task = Readonly<Record<string, string | number>>

export type HelperName = 'client' | 'direct' | 'bare-pool' | 'bare-acp'

const FILES: Readonly<Record<HelperName, string>> = {
  client: './helpers/client.js',
  direct: './helpers/direct.js',
  'bare-pool': './helpers/bare-pool.js',
  'bare-acp': './helpers/bare-acp.js',
}

/** `env` is the helper's whole environment; agents that it starts inherit it. */
export function startHelper(name: HelperName, env: NodeJS.ProcessEnv = process.env): Helper {
  const file = fileURLToPath(new URL(FILES[name], import.meta.url))
  const child = fork(file, [], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    pid: child.pid ?? 0,
    ask: (task) => ask(child, task),
    stop() {
      child.disconnect()
    },
  }
}

function ask(child: ChildProcess, task: Task): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`the helper exited with ${code}`))
    child.once('exit', onExit)
    child.once('message', (reply) => {
      child.off('exit', onExit)
      if (isObject(reply) && isMeasured(reply)) resolve(reply)
      else reject(new Error(`${JSON.stringify(task)}: ${JSON.stringify(reply)}`))
    })
    child.send(task)
  })
}

function isMeasured(reply: JsonObject): reply is Measured {
  return Object.values(reply).every(
    (series) => Array.isArray(series) && series.every((sample) => typeof sample === 'number'),
  )
}

/** The helper's side: answers every task with what `work` measured, until the bench disconnects. */
export function serveTasks(work: (task: JsonObject) => Promise<Measured>): void {
  const answer = async (task: unknown): Promise<void> => {
    try {
      process.send?.(await work(isObject(task) ? task : {}))
    } catch (error) {
      process.send?.(error instanceof Error ? error.message : String(error))
    }
  }
  process.on('message', (task) => void answer(task))
  process.on('disconnect', () => process.exit(0))
}
