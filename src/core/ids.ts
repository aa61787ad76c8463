// Branded identifiers and their only constructors, so that ids of one kind cannot be passed as another.
import { createHash } from 'node:crypto'

export type RunId = string & { readonly brand: 'RunId' }
/** Our own id of a conversation as a client names it; never Cursor's chat id. */
export type SessionId = string & { readonly brand: 'SessionId' }
/** A tool call's id in our own alphabet: `[A-Za-z0-9_-]{1,64}`. */
export type CallId = string & { readonly brand: 'CallId' }
export type ProfileKey = string & { readonly brand: 'ProfileKey' }

// oxlint-disable typescript/no-unsafe-type-assertion -- a brand can only be put on by a cast; this file is the one place for it
export const runId = (text: string): RunId => text as RunId
export const sessionId = (text: string): SessionId => text as SessionId
export const profileKeyOf = (text: string): ProfileKey => text as ProfileKey

const SAFE_CALL_ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * A safe id for one of Cursor's call ids, which may hold a newline and be over 64 characters long.
 * The same raw id always gives the same safe id: unsafe characters become `_`, and a digest of the raw id
 * keeps two different raw ids apart.
 * Source: recorded ids `call-<uuid>-0\nfc_<uuid>_0` (stream-json captures of 2026).
 */
export function callId(raw: string): CallId {
  if (SAFE_CALL_ID.test(raw)) return raw as CallId
  const head = raw.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)
  return `${head}_${createHash('sha256').update(raw).digest('hex').slice(0, 16)}` as CallId
}
// oxlint-enable typescript/no-unsafe-type-assertion
