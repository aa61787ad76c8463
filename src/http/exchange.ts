// The spine of all APIs: read → parse → answer → stream or whole reply. Knows no wire format and no agent.
import { randomBytes } from 'node:crypto'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Answer } from '../core/answer.ts'
import { Refusal } from '../core/failure.ts'
import type { Turn } from '../core/turn.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { Protocol, ReplyContext } from '../protocols/protocol.ts'
import { BodyAborted, readJsonBody } from './body.ts'
import { type Accepted, type Exchange, sendFailure } from './exchange-state.ts'
import { failedOf } from './failure-reply.ts'
import { credentialDigest } from './guard.ts'
import { Outlet } from './outlet.ts'
import { Report } from './report.ts'
import type { HttpEnv, HttpServices } from './services.ts'
import { streamReply } from './stream-reply.ts'
import { wholeReply } from './whole-reply.ts'

export type Handler = (c: Context<HttpEnv>) => Promise<Response>

export interface RouteOf {
  readonly services: HttpServices
  readonly protocol: Protocol
  /** Template, from the closed list of routes. */
  readonly route: string
}

/** A turn as it came in: the parsed body is needed again to compare retries. */
export interface ReadTurn {
  readonly turn: Turn
  readonly body: unknown
  /** Digest of the client's credential, '' for none. */
  readonly credential: string
  readonly completeAtMs: number
}

/** The handler of a route whose requests an agent answers. */
export function exchangeHandler(of: RouteOf): Handler {
  return handler(of, converse)
}

/** A handler whose `work` writes the reply itself; whatever it throws becomes this protocol's error. Never rejects. */
export function handler(
  of: RouteOf,
  work: (exchange: Exchange, c: Context<HttpEnv>) => Promise<void>,
): Handler {
  return async (c) => {
    const exchange = begin(of, c)
    try {
      await work(exchange, c)
    } catch (error) {
      await fail(exchange, error)
    }
    return RESPONSE_ALREADY_SENT
  }
}

/** @throws Refusal, BodyAborted */
export async function readTurn(exchange: Exchange, c: Context<HttpEnv>): Promise<ReadTurn> {
  const { services, protocol, report } = exchange
  const body = await readJsonBody(c.env.incoming, services.guard.bodyLimitBytes)
  const completeAtMs = monotonicMs()
  report.bodyRead(completeAtMs)
  const headers = c.req.raw.headers
  const credential = credentialDigest(headers)
  const turn = protocol.parse(body, headers, services.keptReplies.of(credential))
  report.parsed(turn)
  return { turn, body, credential, completeAtMs }
}

function begin({ services, protocol, route }: RouteOf, c: Context<HttpEnv>): Exchange {
  const requestId = c.get('requestId')
  const { telemetry, logger, timing } = services
  const outlet = new Outlet(c.env.outgoing, timing.slowReaderMs)
  const report = new Report({ api: protocol.api, route, requestId, telemetry, logger })
  outlet.whenLeft((cause) => report.end(cause, outlet.status))
  return { services, protocol, requestId, outlet, report }
}

async function converse(exchange: Exchange, c: Context<HttpEnv>): Promise<void> {
  const { services, requestId, report, outlet, protocol } = exchange
  const { turn, body, credential, completeAtMs } = await readTurn(exchange, c)
  if (outlet.left !== undefined) return
  const headers = c.req.raw.headers
  const facts = { requestId, headers, credential, body, completeAtMs }
  const answer = await services.answerer.answer(turn, facts)
  report.accepted(answer)
  const release = releaseOnce(answer)
  outlet.whenLeft(() => release(false))
  try {
    const context: ReplyContext = {
      ...replyContext(services, turn, answer),
      // Only where something is kept: a body is not held in memory for nothing.
      ...(protocol.toKeep && {
        onReply: (reply: object) => keep(exchange, { body, credential }, reply),
      }),
    }
    const accepted: Accepted = { ...exchange, turn, answer, context, completeAtMs }
    release(await (turn.reply.stream ? streamReply(accepted) : wholeReply(accepted)))
  } finally {
    // Does something only after a throw: nobody reads on.
    release(false)
  }
}

function releaseOnce(answer: Answer): (delivered: boolean) => void {
  let released = false
  return (delivered) => {
    if (released) return
    released = true
    answer.release(delivered)
  }
}

function replyContext(services: HttpServices, turn: Turn, answer: Answer): ReplyContext {
  return {
    id: randomBytes(12).toString('hex'),
    createdS: Math.floor(services.now() / 1000),
    model: turn.model === '' ? answer.model : turn.model,
    inputTokens: answer.inputTokens,
    showTools: services.showTools,
  }
}

/** Kept when it is written, not when it has arrived: a client that read the end may ask the next thing at once. */
function keep(
  { services, protocol }: Exchange,
  { body, credential }: Pick<ReadTurn, 'body' | 'credential'>,
  reply: object,
): void {
  const kept = services.keptReplies
  const toKeep = protocol.toKeep?.(body, reply, kept.of(credential))
  if (toKeep !== undefined) kept.keep(credential, toKeep)
}

/** Anything thrown on the way. Only a Refusal is the client's to know about. */
async function fail(exchange: Exchange, error: unknown): Promise<void> {
  const { outlet, report, services, requestId } = exchange
  if (error instanceof BodyAborted) {
    report.end('client-gone', outlet.status)
    return
  }
  if (!(error instanceof Refusal)) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    services.logger.error('exchange broke', { requestId, detail })
  }
  if (!outlet.headersSent) {
    await sendFailure(exchange, failedOf(error))
    return
  }
  // Streams report their failures themselves; this one broke while doing so.
  report.end('internal', outlet.status)
  outlet.cut('client-gone')
}
