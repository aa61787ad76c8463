// The permission question of ACP mode and what an answer to it means.
import { isObject, type JsonObject, objectAt, stringAt } from '../lib/json.ts'
import type { AcpTurn } from './stage.ts'

// Source: probes of 2026.08.11: three options with these ids and kinds (ids with dashes or underscores, by version).
const OPTIONS = [
  { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Allow always', kind: 'allow_always' },
  { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
]

/** Asks, unless forced, and waits for ever. True when the call may run. */
export async function askPermission(call: JsonObject, acp: AcpTurn | undefined): Promise<boolean> {
  if (acp === undefined || acp.forced) return true
  const { title, kind, id, rawInput, locations } = call
  const toolCall = {
    toolCallId: typeof id === 'string' ? id : 'call-permission\nfc_1',
    title: title ?? 'Shell',
    kind: kind ?? 'execute',
    status: 'pending',
    ...(rawInput === undefined ? {} : { rawInput }),
    ...(locations === undefined ? {} : { locations }),
  }
  const params = { sessionId: acp.sessionId, toolCall, options: OPTIONS }
  const reply = await acp.ask('session/request_permission', params)
  const outcome = isObject(reply) ? objectAt(reply, 'outcome') : undefined
  return stringAt(outcome ?? {}, 'optionId')?.startsWith('allow') ?? false
}
