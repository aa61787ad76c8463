// How long does Cursor's MCP client wait for a tool? In mode bridge that is how long a client may take for one call.
import { assertNever } from '../core/events.ts'
import type { Finding, Result } from './finding.ts'
import { type HeldTurn, heldTurn } from './held-turn.ts'

/** Source: the MCP SDK's own limit; progress starts it anew where a client asks for progress. */
const MINUTE_MS = 60_000

const MEND = 'mend the warm prompt finding first (doctor --prompt), then try again'

export const toolWait: Finding = {
  name: 'tool wait',
  why: "mode bridge: a client's tool that takes longer than Cursor waits costs a replay of the conversation",
  check: async (patient) => {
    const facts = await patient.cli()
    if ('missing' in facts) return { at: 'skipped', text: 'no CLI' }
    const { toolWaitS } = patient
    if (toolWaitS === undefined) {
      const text = 'not tried; doctor --tool-wait sends one prompt whose tool is slow to answer'
      return { at: 'skipped', text }
    }
    return judge(await heldTurn(patient, facts, toolWaitS * 1000))
  },
}

/** Pure. */
export function judge(turn: HeldTurn): Result {
  const { held, backend } = turn
  const who = `Cursor (${backend})`
  switch (held.at) {
    case 'not-called':
      return notCalled(turn)
    case 'answered': {
      const waited = `${who} still waited after ${seconds(held.ms)}`
      const settled = held.ms > MINUTE_MS ? { 'tool-wait': true } : {}
      if (held.isHeard) return { at: 'good', text: waited, settled }
      return {
        at: 'warning',
        text: `${who} took the answer after ${seconds(held.ms)}, but its reply does not show it: ${said(turn)}`,
        fix: `try a shorter time: doctor --tool-wait ${Math.max(1, Math.floor(held.ms / 2000))}`,
      }
    }
    case 'given-up':
      // Whoever goes hangs up, too.
      if (turn.failure !== undefined) return broken(turn, held.ms)
      return {
        at: 'warning',
        text: `${who} gave up after ${seconds(held.ms)}${held.told ? '' : ', without telling our server'}`,
        fix: fixFor(held.ms, held.told),
        settled: { 'tool-wait': held.ms > MINUTE_MS },
      }
    case 'left':
      return broken(turn, held.ms)
    default:
      return assertNever(held)
  }
}

const broken = (turn: HeldTurn, ms: number): Result => ({
  at: 'warning',
  text: `not settled: the run ended ${seconds(ms)} after the call: ${said(turn)}`,
  fix: MEND,
})

function fixFor(ms: number, told: boolean): string {
  const later = 'nothing is lost: a result that comes later starts afresh with the whole transcript'
  const whole = Math.max(1, Math.floor(ms / 1000))
  return told
    ? `${later}; a bridge.parked_timeout above ${whole} has no effect`
    : `set bridge.parked_timeout: ${whole}, so that runs nobody waits for keep no seat; ${later}`
}

function notCalled(turn: HeldTurn): Result {
  const { contact, backend, failure } = turn
  if (failure === undefined && contact === 'none') {
    return {
      at: 'bad',
      text: `Cursor (${backend}) never asked our server for its tools`,
      fix: 'mode bridge does not work with this version: see agent mcp list, try the other backend, or set mode: agent',
    }
  }
  return {
    at: 'warning',
    text: `not settled: Cursor (${backend}) did not call the tool: ${said(turn)}`,
    fix: failure === undefined ? 'try again, or with another default_model' : MEND,
  }
}

const said = ({ failure, text }: HeldTurn): string =>
  (failure?.message ?? text).trim().split('\n')[0]?.slice(0, 200) || 'it said nothing'

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
