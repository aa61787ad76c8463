// What Cursor said when it failed, and how its process ended → our failure event. Pure.
// What its texts mean is a table of its own, failure-rules.ts.
import { stripVTControlCharacters } from 'node:util'
import type { Failure } from '../core/events.ts'
import { type FailureFacts, RULES, said } from './failure-rules.ts'
import { redact } from './redact.ts'

export type { FailureFacts } from './failure-rules.ts'

const MOST_WORDS = 400

/** The matched line and what belongs to it, as one line of Cursor's own words; no stack, no secrets. */
function wordsAt(text: string, at: number, home: string): string {
  const start = text.lastIndexOf('\n', at) + 1
  const around = text.slice(start, start + 2 * MOST_WORDS)
  const end = around.search(/\n\s*(?:at\s|\n)/)
  const paragraph = end === -1 ? around : around.slice(0, end)
  const words = redact(paragraph, home).replaceAll(/\s+/g, ' ').trim()
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words
}

/** Some builds copy their stdout events to stderr, prompt included: those lines are not words about the failure. */
const withoutEvents = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*\{"type":"|"session_id":"/.test(line))
    .join('\n')

/** 128 + n as shells and some runtimes report a death by signal n. Source: exit codes 143 and 137 in wrappers' logs. */
const SIGNAL_OF_CODE: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
}

/** Where the last line begins that is neither part of a stack nor the runtime's own trailer. */
function lastLine(text: string): number {
  const lines = text.split('\n')
  let at = text.length
  for (const line of lines.toReversed()) {
    at -= line.length
    if (line.trim() !== '' && !/^\s*at\s|^Node\.js v|^\s*\^+$/.test(line)) return at
    at -= 1
  }
  return 0
}

/** No rule fits: how the process ended, and the last thing it said. */
function byExit(facts: FailureFacts, text: string): Omit<Failure, 'type'> {
  const failed = (what: string): Omit<Failure, 'type'> => ({
    code: 'agent-failed',
    message: what + said(wordsAt(text, lastLine(text), facts.home)),
  })
  if (facts.exit === undefined) return failed('Cursor reported an error.')
  const { code, signal } = facts.exit
  const killer = signal ?? (code === null ? undefined : SIGNAL_OF_CODE[code])
  if (killer !== undefined) return failed(`cursor-agent was killed by ${killer}.`)
  if (code === 0) return failed('cursor-agent ended without a result.')
  return failed(`cursor-agent exited with code ${code ?? 'unknown'} and without a result.`)
}

/**
 * The failure event for a run that did not end well. The message says what happened in our words, then in Cursor's
 * own (no keys, e-mail addresses or home folders), and names the step that mends it.
 */
export function classify(facts: FailureFacts): Failure {
  const text = withoutEvents(stripVTControlCharacters(facts.text).replaceAll('\r', ''))
  const clean = { ...facts, text }
  for (const rule of RULES) {
    const at = text.search(rule.pattern)
    if (at === -1) continue
    return { type: 'failure', ...rule.failure(clean, wordsAt(text, at, facts.home)) }
  }
  return { type: 'failure', ...byExit(clean, text) }
}

/** Text of a CLI that waits for somebody to log in. It would wait for ever: nobody sits at it. */
export function asksForLogin(text: string): boolean {
  const clean = stripVTControlCharacters(text)
  const isPlain =
    /press any key to (?:sign|log) ?in|not logged in|(?<!proxy )authentication required/i.test(
      clean,
    )
  return isPlain || (/\b(?:log|sign)[ -]?in\b/i.test(clean) && /https?:\/\//.test(clean))
}
