// The least a service over ACP can be: Hono, p-queue, piscina with five threads, a child in each. No logic.

import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { arrayAt, isObject, stringAt } from '../../../src/lib/json.ts'
import { serveTasks } from '../helper.ts'

const THREADS = 5

const pool = new Piscina<string, string>({
  filename: fileURLToPath(new URL('./bare-acp-worker.js', import.meta.url)),
  minThreads: THREADS,
  maxThreads: THREADS,
  concurrentTasksPerWorker: 1,
})
const queue = new PQueue({ concurrency: THREADS })
const app = new Hono()
app.post('/v1/chat/completions', async (c) => {
  const body: unknown = await c.req.json()
  const last = isObject(body) ? arrayAt(body, 'messages')?.at(-1) : undefined
  const prompt = (isObject(last) && stringAt(last, 'content')) || ''
  const text = await queue.add(() => pool.run(prompt))
  const chunk = { choices: [{ index: 0, delta: { content: text } }] }
  return c.body(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, 200, {
    'content-type': 'text/event-stream',
  })
})

const listening = new Promise<number>((resolve) => {
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port))
})

/** Any task: where it listens. */
serveTasks(async () => ({ port: [await listening] }))
