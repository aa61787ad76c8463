// JSON-RPC errors, missed deadlines and unknown models of ACP mode → our failure event. Pure.
// Source: probes of 2026.08.11 for codes and texts; `error.data` is `{message}`, `{details}` or a list of schema issues.
import type { Failure } from '../../core/events.ts'
import { isObject, objectAt, stringAt } from '../../lib/json.ts'
import { classify } from '../classify.ts'
import { redact } from '../redact.ts'

export interface RefusalFacts {
  readonly code: number
  readonly message: string
  readonly data: unknown
  /** The model that was asked for. */
  readonly model: string
  readonly home: string
  /** What the process wrote beside the protocol. */
  readonly said: string
}

/** Thrown inside the backend only, by a step before the prompt; becomes the run's terminal event. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

function dataText(data: unknown): string {
  if (typeof data === 'string') return data
  if (!isObject(data)) return ''
  return (
    stringAt(data, 'message') ??
    stringAt(data, 'details') ??
    stringAt(objectAt(data, 'error') ?? {}, 'message') ??
    ''
  )
}

export function refusalFailure(facts: RefusalFacts): Failure {
  const { code, message, model, home, said } = facts
  const words = `${message}\n${dataText(facts.data)}`
  if (/invalid model value|unknown model config option/i.test(words)) return modelUnknown(model, [])
  // A bad key shows like this. Source: probes of 2026.08.
  const isKey = /failed to initialize session services/i.test(words)
  const hint = code === -32000 ? 'Authentication required\n' : isKey ? 'Invalid API key?\n' : ''
  return classify({ text: `${hint}${words}\n${said}`, exit: undefined, model, home })
}

/** True for the error that means: no such session in this process. */
export const isMissingSession = (code: number, message: string): boolean =>
  (code === -32602 || code === -32002) &&
  /session|resource/i.test(message) &&
  /not found/i.test(message)

/** Says something about the request, nothing about the child. */
export const isHarmless = (failure: Failure): boolean =>
  failure.again === 'fresh' || failure.code === 'model-not-found'

export function modelUnknown(model: string, near: readonly string[]): Failure {
  const advice =
    near.length > 0 ? `Nearest available: ${near.join(', ')}.` : 'Ask /v1/models for the list.'
  const message = `Cursor does not offer the model "${redact(model, '')}" in its ACP mode. ${advice}`
  return { type: 'failure', code: 'model-not-found', message }
}

/** The session to go on in is gone: the caller plays the turn anew with the whole transcript. */
export const sessionGone: Failure = {
  type: 'failure',
  code: 'agent-failed',
  message: 'The Cursor session of this conversation is gone. Send the request again.',
  again: 'fresh',
}

export const noAnswer = (method: string, ms: number): Failure => ({
  type: 'failure',
  code: 'agent-failed',
  message: `cursor-agent did not answer ${method} within ${Math.ceil(ms / 1000)} s. Try again, or set backend to "print".`,
  again: 'same',
})
