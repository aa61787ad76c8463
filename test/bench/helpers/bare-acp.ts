// The least a streaming service over ACP can be: Hono, p-queue, piscina with five threads, a child in each. No logic.
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import type { StreamingApi } from 'hono/utils/stream'
import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { arrayAt, isObject, numberAt, stringAt } from '../../../src/lib/json.ts'
import { serveTasks } from '../helper.ts'
import type { BareTask } from './bare-acp-worker.ts'

const THREADS = 5

const pool = new Piscina<BareTask, void>({
  filename: fileURLToPath(new URL('./bare-acp-worker.js', import.meta.url)),
  minThreads: THREADS,
  maxThreads: THREADS,
  concurrentTasksPerWorker: 1,
})
const queue = new PQueue({ concurrency: THREADS })
const open = new Map<number, { readonly stream: StreamingApi; readonly end: () => void }>()
let requests = 0

pool.on('message', (message: unknown) => {
  if (!isObject(message)) return
  const request = open.get(numberAt(message, 'id') ?? 0)
  const content = stringAt(message, 'text')
  if (content === undefined) request?.end()
  else {
    const delta = JSON.stringify({ choices: [{ index: 0, delta: { content } }] })
    void request?.stream.write(`data: ${delta}\n\n`)
  }
})

const app = new Hono()
app.post('/v1/chat/completions', async (c) => {
  const body: unknown = await c.req.json()
  const last = isObject(body) ? arrayAt(body, 'messages')?.at(-1) : undefined
  const prompt = (isObject(last) && stringAt(last, 'content')) || ''
  const id = ++requests
  c.header('content-type', 'text/event-stream')
  return stream(c, async (reply) => {
    // The task's result comes through another port and may overtake its last text.
    const ended = new Promise<void>((end) => open.set(id, { stream: reply, end }))
    await queue.add(() => pool.run({ id, prompt }))
    await ended
    open.delete(id)
    await reply.write('data: [DONE]\n\n')
  })
})

const listening = new Promise<number>((resolve) => {
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port))
})

/** Any task: where it listens. */
serveTasks(async () => ({ port: [await listening] }))
