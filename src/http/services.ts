// What the front end is given by serve.ts. It imports none of the rooms behind these functions.
import type { HttpBindings } from '@hono/node-server'
import type { Answerer } from '../core/answer.ts'
import type { Logger, Telemetry } from '../core/telemetry.ts'
import type { Api } from '../core/turn.ts'
import type { KeptReplies, Protocol, ToKeep } from '../protocols/protocol.ts'

/** One model as `/v1/models` lists it. */
export interface ModelInfo {
  /** What clients write into `model`. */
  readonly id: string
  /** Name for people. */
  readonly label: string
  /** Tokens; left out of the lists when unknown. */
  readonly contextWindow?: number | undefined
  /** `owned_by` of the OpenAI shape; `cursor` when unknown. */
  readonly owner?: string | undefined
  /** Unix seconds; 0 when unknown. */
  readonly createdS: number
}

export interface GuardSettings {
  /** Undefined = no key is asked for. */
  readonly apiKey: string | undefined
  /** Host names besides the local ones and `host`, without port. */
  readonly allowedHosts: readonly string[]
  readonly bodyLimitBytes: number
  /** The address the server is bound to. */
  readonly host: string
}

export interface Timing {
  /** Longest silence on a streamed reply, from the request's last byte on. Source: design, 15 000. */
  readonly keepAliveMs: number
  /** A reader that takes nothing for this long is cut. */
  readonly slowReaderMs: number
}

/** Replies that clients may name later, each client's apart from all others'. */
export interface KeptRepliesStore {
  /** What the client with this credential may name. */
  of(credential: string): KeptReplies
  keep(credential: string, reply: ToKeep): void
}

export interface HttpServices {
  readonly answerer: Answerer
  readonly protocols: Readonly<Record<Api, Protocol>>
  readonly keptReplies: KeptRepliesStore
  /** @throws Refusal when there is no list and none can be had. */
  readonly models: () => Promise<readonly ModelInfo[]>
  readonly health: () => Promise<{ readonly available: boolean; readonly reason?: string }>
  readonly details: () => Promise<object>
  readonly metrics: { readonly render: () => Promise<string>; readonly contentType: string }
  /** Mode bridge: the MCP endpoint, for Cursor's agents. Left out: it is served elsewhere. */
  readonly tools?: (request: Request, token: string) => Promise<Response>
  readonly telemetry: Telemetry
  readonly logger: Logger
  readonly guard: GuardSettings
  readonly timing: Timing
  /** Setting `tools.show`. */
  readonly showTools: boolean
  /** Wall clock, Unix milliseconds. Durations use lib/clock. */
  readonly now: () => number
}

/** Hono's environment: the Node request and response, and what the outermost middleware puts beside them. */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: { requestId: string }
}
