// Takes secrets and personal paths out of text that came from Cursor before anybody is shown it. Pure.
import type { AgentEvent } from '../core/events.ts'

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bcrsr_[A-Za-z0-9_-]+/g, '[key]'],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\bkey_[A-Za-z0-9]{16,}/g, '[key]'],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]+/gi, 'Bearer [key]'],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+/g, '[token]'],
  [/(--(?:api-key|auth-token)[= ])\S+/g, '$1[key]'],
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1[key]@'],
  [/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g, '[email]'],
]

/** A home folder of any user, with its name. */
const HOMES = /(?:\/home|\/Users|[A-Za-z]:\\Users)[/\\][^\s/\\:'"`]+|\/root(?=\/)/g

/** `home` is the service's own home folder, '' when unknown; it becomes `~`, as other home folders do. */
export function redact(text: string, home: string): string {
  let clean = home.length > 1 ? text.replaceAll(home, '~') : text
  clean = clean.replaceAll(HOMES, '~')
  for (const [pattern, replacement] of SECRETS) clean = clean.replaceAll(pattern, replacement)
  return clean
}

/** Shorter values are switches (`1`, `true`), not secrets; hiding them would garble every message. */
const SHORTEST_SECRET = 8

/** The values in a child's environment that nobody may be shown. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.values(env).filter((value) => value !== undefined)
  const secrets = new Set(values.filter((value) => value.length >= SHORTEST_SECRET))
  return [...secrets].sort((a, b) => b.length - a.length)
}

/** A failure's text may quote what Cursor printed. */
export function hideIn(event: AgentEvent, secrets: readonly string[]): AgentEvent {
  if (event.type !== 'failure') return event
  let { message } = event
  for (const secret of secrets) message = message.replaceAll(secret, '[hidden]')
  return message === event.message ? event : { ...event, message }
}
