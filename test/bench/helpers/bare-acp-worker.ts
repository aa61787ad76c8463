// Task of the ACP prototype: one prompt in a fresh session of this thread's child; its text is posted as it comes.
import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { parentPort } from 'node:worker_threads'
import { type AnyMessage, client } from '@agentclientprotocol/sdk'
import { isObject, objectAt, parseJson, stringAt } from '../../../src/lib/json.ts'
import { AGENT } from './agent.ts'

export interface BareTask {
  readonly id: number
  readonly prompt: string
}

let current = 0

/** Session updates are kept away from the SDK, which is the slower way. */
function connect(child: { readonly stdout: Readable; readonly stdin: Writable }) {
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      let rest = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const message = parseJson(line)
          if (!isObject(message)) continue
          if (message.method !== 'session/update') controller.enqueue(JSON.parse(line))
          else {
            const update = objectAt(objectAt(message, 'params') ?? {}, 'update') ?? {}
            const text = stringAt(objectAt(update, 'content') ?? {}, 'text')
            if (text !== undefined) parentPort?.postMessage({ id: current, text })
          }
        }
      })
    },
  })
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
  })
  return client({ name: 'prototype' }).connect({ readable, writable })
}

const child = spawn(process.execPath, [AGENT, '--model', 'auto', 'acp'], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
const { agent } = connect(child)
const initialized = agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })

async function open(): Promise<string> {
  await initialized
  const answer: unknown = await agent.request('session/new', {
    cwd: process.cwd(),
    mcpServers: [],
  })
  return (isObject(answer) && stringAt(answer, 'sessionId')) || ''
}

/** Ahead of need, as the service does it. */
let next = open()

export default async function run({ id, prompt }: BareTask): Promise<void> {
  const sessionId = await next
  current = id
  await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] })
  parentPort?.postMessage({ id })
  next = open()
}
