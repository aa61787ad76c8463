// A client's conversation with the service: sends the whole transcript every time, as clients do, and remembers the answers.
import { isObject, type JsonObject, numberAt, stringAt } from '../../src/lib/json.ts'
import { type Heard, send, type Way } from './ask.ts'
import { within } from './pace.ts'
import type { Service } from './service.ts'
import { until } from './until.ts'

export interface Said {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface TalkInit {
  readonly way?: Way
  /** The client's conversation id. */
  readonly id?: string
  readonly system?: string
  readonly body?: object
}

export class Talk {
  readonly service: Service
  readonly said: Said[] = []
  system: string | undefined
  body: object
  #way: Way
  #headers: Readonly<Record<string, string>>

  constructor(service: Service, init: TalkInit = {}) {
    this.service = service
    this.system = init.system
    this.body = init.body ?? {}
    this.#way = init.way ?? { api: 'messages', stream: true }
    this.#headers = init.id === undefined ? {} : { 'x-cursor-session': init.id }
  }

  /** Asks and adds question and answer to the transcript; how the turn got its agent. */
  async say(text: string, signal?: AbortSignal): Promise<Heard & { readonly start: string }> {
    const messages = [...this.said, { role: 'user' as const, content: text }]
    const heard = await this.#send(messages, signal)
    if (heard.status === 200 && heard.error === undefined) {
      this.said.push({ role: 'user', content: text }, { role: 'assistant', content: heard.text })
    }
    return { ...heard, start: heard.headers.get('x-cursor-adapter-start') ?? '' }
  }

  /** The same, and waits until no run is active any more, so that the next turn can go on. */
  async sayAndSettle(text: string): Promise<Heard & { readonly start: string }> {
    const heard = await this.say(text)
    await quiet(this.service)
    return heard
  }

  #send(messages: readonly Said[], signal: AbortSignal | undefined): Promise<Heard> {
    const { api } = this.#way
    const { system } = this
    const inMessages = api === 'chat' && system !== undefined
    const body = {
      ...this.body,
      messages: inMessages ? [{ role: 'system', content: system }, ...messages] : messages,
      ...(api === 'messages' && system !== undefined ? { system } : {}),
    }
    const init = { headers: this.#headers, ...(signal === undefined ? {} : { signal }) }
    return send(this.service, this.#way, body, init)
  }
}

/** Waits until every run has given its slot back. */
export async function quiet(service: Service): Promise<void> {
  await until('all runs to have settled', within(10_000), async () => {
    return (await service.metric('cursor_adapter_runs_active')) === 0
  })
}

export interface PromptFact {
  readonly pid: number
  readonly text: string
  /** ACP: the session; print: the id after `--resume`, '' for a fresh chat. */
  readonly session: string
}

/** Every prompt an agent got, in order. */
export function promptFacts(service: Service): PromptFact[] {
  const journal = service.journal()
  return journal.flatMap((fact) => {
    const text = stringAt(fact, 'prompt')
    if (fact.event !== 'prompt' || text === undefined) return []
    const pid = numberAt(fact, 'pid') ?? 0
    return [{ pid, text, session: stringAt(fact, 'session') ?? resumed(journal, pid) }]
  })
}

function resumed(journal: readonly JsonObject[], pid: number): string {
  const start = journal.find((fact) => fact.event === 'start' && fact.pid === pid)
  const argv = isObject(start) && Array.isArray(start.argv) ? start.argv.map(String) : []
  const at = argv.indexOf('--resume')
  return at === -1 ? '' : (argv[at + 1] ?? '')
}
