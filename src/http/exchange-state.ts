// What the steps of one exchange share, and the one way it fails before its first byte.
import type { Answer } from '../core/answer.ts'
import type { Turn } from '../core/turn.ts'
import type { Protocol, ReplyContext } from '../protocols/protocol.ts'
import { type Failed, failureReply } from './failure-reply.ts'
import type { Outlet } from './outlet.ts'
import { answerHeaders, idHeaders } from './reply-headers.ts'
import type { Report } from './report.ts'
import type { HttpServices } from './services.ts'

export interface Exchange {
  readonly services: HttpServices
  readonly protocol: Protocol
  readonly requestId: string
  readonly outlet: Outlet
  readonly report: Report
}

/** An exchange whose request was taken. */
export interface Accepted extends Exchange {
  readonly turn: Turn
  readonly answer: Answer
  readonly context: ReplyContext
  /** `monotonicMs()` of the request's last byte. */
  readonly completeAtMs: number
}

/** Sends a failure as the whole reply. True when it reached the socket. */
export async function sendFailure(
  exchange: Exchange,
  failed: Failed,
  answer?: Answer,
): Promise<boolean> {
  const { outlet, report, protocol } = exchange
  const reply = failureReply(protocol, failed)
  const delivered = await outlet.send(
    reply.status,
    {
      ...reply.headers,
      ...idHeaders(exchange.requestId, protocol.api),
      ...(answer === undefined ? {} : answerHeaders(answer)),
    },
    reply.body,
  )
  report.end(failed.code, reply.status)
  return delivered
}

/** Sends an object as the whole reply. True when it reached the socket. */
export async function sendJson(
  exchange: Exchange,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const { outlet, report, protocol, requestId } = exchange
  const sent = outlet.send(
    200,
    {
      'content-type': 'application/json; charset=utf-8',
      ...idHeaders(requestId, protocol.api),
      ...headers,
    },
    JSON.stringify(body),
  )
  report.handedOver(true, undefined)
  const delivered = await sent
  report.end('success', 200)
  return delivered
}
