// Headers by which every reply explains itself.
import { randomUUID } from 'node:crypto'
import type { Answer } from '../core/answer.ts'
import type { RunMarks } from '../core/run.ts'
import type { Api } from '../core/turn.ts'

const SANE_ID = /^[\w.:-]{1,128}$/

/** The client's own request id when it is harmless, else a new one. */
export function requestIdOf(sent: string | undefined): string {
  return sent !== undefined && SANE_ID.test(sent) ? sent : `req_${randomUUID().replaceAll('-', '')}`
}

/** `request-id` is where the Anthropic SDK looks. Source: @anthropic-ai/sdk 1.14.0, `APIError.requestID`. */
export function idHeaders(requestId: string, api: Api): Readonly<Record<string, string>> {
  return api === 'messages'
    ? { 'x-request-id': requestId, 'request-id': requestId }
    : { 'x-request-id': requestId }
}

/** What is known of an answer at the time the headers go. */
export function answerHeaders(answer: Answer): Readonly<Record<string, string>> {
  const timing = serverTiming(answer.marks())
  return {
    'x-cursor-adapter-mode': answer.mode,
    'x-cursor-adapter-backend': answer.backend,
    'x-cursor-adapter-model': headerSafe(answer.model),
    'x-cursor-adapter-start': answer.start(),
    ...(answer.session === undefined
      ? {}
      : { 'x-cursor-adapter-session': headerSafe(answer.session) }),
    ...(timing === '' ? {} : { 'server-timing': timing }),
  }
}

/** `queue;dur=1.2, launch;dur=0, …` in milliseconds; steps not over yet are left out. */
export function serverTiming(marks: RunMarks): string {
  const steps: readonly (readonly [string, number | undefined])[] = [
    ['queue', marks.queueMs],
    ['launch', marks.launchMs],
    ['dispatch', marks.dispatchMs],
    ['agent', marks.agentMs],
  ]
  return steps
    .flatMap(([name, ms]) => (ms === undefined ? [] : [`${name};dur=${rounded(ms)}`]))
    .join(', ')
}

/** Milliseconds with at most two decimals. */
export function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}

/** Names come from clients and from Cursor; Node throws on characters a header cannot hold. */
function headerSafe(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 256)
}
