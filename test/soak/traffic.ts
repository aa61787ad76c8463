// Many short requests against a service: several at once, on both APIs, streamed and not, some left by their client.
import type { Service } from '../support/service.ts'
import { type Ending, type Kind, kindAt } from './kinds.ts'

export interface Traffic {
  readonly requests: number
  readonly clients: number
  readonly random: () => number
  /** Monotonic milliseconds at which no further request is sent. */
  readonly untilMs: number
  /** Numbers of this traffic's prompts begin after it: equal prompts would be retries. */
  readonly from: number
  readonly onDone: (done: number) => void
}

export interface Outcome {
  readonly done: number
  readonly byKind: ReadonlyMap<string, number>
  /** Requests that ended in another way than they should have. */
  readonly wrong: readonly string[]
}

const APIS = [
  { path: '/v1/chat/completions', end: '[DONE]', whole: '"finish_reason":"stop"' },
  { path: '/v1/messages', end: 'message_stop', whole: '"stop_reason":"end_turn"' },
  { path: '/v1/responses', end: 'response.completed', whole: '"status":"completed"' },
] as const

export async function drive(service: Service, traffic: Traffic): Promise<Outcome> {
  const byKind = new Map<string, number>()
  const wrong: string[] = []
  let sent = 0
  let done = 0
  const client = async (): Promise<void> => {
    while (sent < traffic.requests && performance.now() < traffic.untilMs) {
      sent += 1
      const kind = kindAt(traffic.random())
      const said = await one(service, kind, traffic.from + sent, traffic.random)
      if (!kind.ends.includes(said.ending)) {
        wrong.push(`${kind.name}: ${said.ending} (${said.detail.slice(-300)})`)
      }
      byKind.set(kind.name, (byKind.get(kind.name) ?? 0) + 1)
      done += 1
      traffic.onDone(done)
    }
  }
  await Promise.all(Array.from({ length: traffic.clients }, client))
  return { done, byKind, wrong }
}

interface Said {
  readonly ending: Ending
  readonly detail: string
}

async function one(
  service: Service,
  kind: Kind,
  number: number,
  random: () => number,
): Promise<Said> {
  const api = APIS[Math.floor(random() * APIS.length)] ?? APIS[0]
  const stream = random() < 0.7
  const leave = new AbortController()
  const timer =
    kind.leavesWithinMs === undefined
      ? undefined
      : setTimeout(() => leave.abort(), random() * kind.leavesWithinMs)
  try {
    const messages = [{ role: 'user', content: `${kind.name} #${number}` }]
    const asked = api.path === '/v1/responses' ? { input: messages, store: false } : { messages }
    const body = { model: 'auto', max_tokens: 1_000_000, stream, ...asked }
    // Some belong to a conversation: their runs outlive the client by the retry grace.
    const headers = random() < 0.2 ? { 'x-session-id': `soak-${number}` } : {}
    const response = await service.post(api.path, body, { signal: leave.signal, headers })
    const text = await response.text()
    const isWhole = response.status === 200 && text.includes(stream ? api.end : api.whole)
    const ending = isWhole && !/"error":(?!null)/.test(text) ? 'answered' : 'failed'
    return { ending, detail: `${response.status} ${text}` }
  } catch (error) {
    if (leave.signal.aborted) return { ending: 'left', detail: '' }
    return { ending: 'failed', detail: error instanceof Error ? String(error.cause) : 'no reason' }
  } finally {
    clearTimeout(timer)
  }
}
