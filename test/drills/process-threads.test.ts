// Children owned by worker threads, with the compiled modules: as in the service.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { isObject, numberAt } from '../../src/lib/json.ts'
import { endGroup } from '../../src/process/terminate.ts'
import { AT_ONCE, instance, leftOvers, lives, program } from '../process/start.ts'

afterEach(() => {
  expect(leftOvers()).toEqual([])
})

const CHILD = pathToFileURL(join(import.meta.dirname, '../../dist/src/process/child.js')).href

/** Starts a deaf child, tells its pid, and ends it when asked to. */
const CODE = `
const { parentPort, workerData } = require('node:worker_threads')
import(workerData.module).then(async ({ startChild }) => {
  const child = await startChild(workerData.spec)
  for await (const batch of child.lines()) if (batch.lines.length > 0) break
  parentPort.once('message', async (options) => {
    await child.end('cancelled', options)
    parentPort.postMessage({ exit: await child.exited })
    parentPort.close()
  })
  parentPort.postMessage({ pid: child.pid })
})
`

async function deafChildInThread(): Promise<{ worker: Worker; pid: number }> {
  const spec = {
    command: program('deaf'),
    args: [],
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH ?? '', CURSOR_ADAPTER_CHILD: instance },
    maxLineBytes: 1000,
  }
  const worker = new Worker(CODE, { eval: true, workerData: { module: CHILD, spec } })
  const hello = await nextMessage(worker)
  const pid = isObject(hello) ? numberAt(hello, 'pid') : undefined
  if (pid === undefined) throw new Error('the thread sent no pid')
  return { worker, pid }
}

function nextMessage(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

test('a thread ends its own child and then ends itself', async () => {
  const { worker, pid } = await deafChildInThread()
  const exited = new Promise((resolve) => worker.once('exit', resolve))
  worker.postMessage({ ...AT_ONCE, killGraceMs: 100 })
  expect(await nextMessage(worker)).toEqual({ exit: { code: null, signal: 'SIGKILL' } })
  expect(lives(pid)).toBe(false)
  expect(await exited).toBe(0)
})

test('the child of a thread that is gone is ended by its pid, reaped by nobody', async () => {
  const { worker, pid } = await deafChildInThread()
  await worker.terminate()
  expect(lives(pid)).toBe(true)
  await endGroup(pid, { ...AT_ONCE, killGraceMs: 100 })
  expect(lives(pid)).toBe(false)
})
