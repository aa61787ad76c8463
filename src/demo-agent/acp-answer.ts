// An answer under way in ACP mode: pure deltas as session updates, no repeats, no usage.
import { type JsonObject, objectAt, stringAt } from '../lib/json.ts'
import { completed, running, started } from './acp-tools.ts'
import type { ToolCall } from './answer.ts'
import type { Teller } from './stage.ts'

type Written = Promise<void> | undefined

export interface AcpPort {
  readonly sessionId: string
  /** Sends one update, or throws when the turn is over. */
  update(update: JsonObject): Written
  /** Whole lines of this turn. */
  print(lines: string): Written
}

export class AcpAnswer implements Teller {
  readonly streams = true
  /** Everything that was said in this turn. */
  text = ''
  readonly #port: AcpPort

  constructor(port: AcpPort) {
    this.#port = port
  }

  init(): Written {
    return undefined
  }

  echo(): Written {
    return undefined
  }

  delta(text: string): Written {
    this.text += text
    return this.#port.update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
    })
  }

  heard(text: string): void {
    this.text += text
  }

  /** Source: probes of 2026.08.11: no repeated full text. */
  recap(): Written {
    return undefined
  }

  full(text: string): Written {
    return this.delta(text)
  }

  thinking(text: string | undefined): Written {
    if (text === undefined) return undefined
    return this.#port.update({
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text },
    })
  }

  async tool(call: ToolCall): Promise<void> {
    if ('result' in call) return this.#port.update(completed(call))
    await this.#port.update(started(call))
    await this.#port.update(running(call))
  }

  /**
   * A good end says nothing: the prompt's answer does. A failed one is text. Source: wrappers' classifier tests of
   * 2026: model-side failures are appended as a chunk and the prompt answers `end_turn`.
   */
  result(overrides: JsonObject): Written {
    if (overrides.is_error !== true) {
      const text = stringAt(overrides, 'result')
      return text === undefined || text === '' || this.text !== '' ? undefined : this.delta(text)
    }
    const words =
      stringAt(overrides, 'result') ?? stringAt(objectAt(overrides, 'error') ?? {}, 'message')
    return this.delta(`\n\nError: ${words ?? 'T: [internal] Error'}`)
  }

  line(line: JsonObject): Written {
    return this.#port.print(`${JSON.stringify(line)}\n`)
  }

  deltaFrame(): (text: string) => string {
    const mark = 'TEXT'
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: mark } }
    const params = { sessionId: this.#port.sessionId, update }
    const message = { jsonrpc: '2.0', method: 'session/update', params }
    const [head = '', tail = ''] = JSON.stringify(message).split(mark)
    return (text) => `${head}${text}${tail}\n`
  }

  bulk(lines: string): Written {
    return this.#port.print(lines)
  }
}
