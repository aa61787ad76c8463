// Does a process that was started without a prompt take one from stdin later? That is what warm agents are.
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '../lib/clock.ts'
import type { Child } from '../process/child.ts'
import type { Finding, Result } from './finding.ts'
import { END, printProcess, type RunResult, resultIn } from './print-process.ts'

const PROMPT = 'Reply with the single word: ready'
/** Long enough for the CLI's bundle to load and for a version that does not wait to complain. */
const PARK_MS = 5_000
const ANSWER_MS = 90_000

export const stdinPrompt: Finding = {
  name: 'warm prompt',
  why: 'a process that is up before the request came saves its start-up time',
  check: async (patient) => {
    const facts = await patient.cli()
    if ('missing' in facts) return { at: 'skipped', text: 'no CLI' }
    if (!patient.prompt) {
      return {
        at: 'skipped',
        text: 'not tried; doctor --prompt sends one tiny prompt (a few tokens)',
      }
    }
    return patient.inFolder(async (folder) => {
      const child = await printProcess(facts.path, folder, patient)
      const timer = setTimeout(
        () => void child.end('timeout', { ...END, exitGraceMs: 0 }),
        PARK_MS + ANSWER_MS,
      )
      try {
        return await tryIt(child)
      } finally {
        clearTimeout(timer)
        await child.end('done', END)
      }
    })
  },
}

async function tryIt(child: Child): Promise<Result> {
  const disturbed = await Promise.race([
    child.exited.then(() => true),
    child.spoke.then(() => true),
    delay(PARK_MS, false, { ref: false }),
  ])
  if (disturbed) {
    return {
      at: 'bad',
      text: 'it did not wait for its prompt',
      fix: 'set pool.warm: 0',
      settled: { 'parked-on-stdin': false },
    }
  }
  const promptedMs = monotonicMs()
  child.sendAndEnd(PROMPT)
  let firstMs: number | undefined
  let result: ReturnType<typeof resultIn>
  for await (const { lines } of child.lines()) {
    firstMs ??= monotonicMs() - promptedMs
    result ??= resultIn(lines)
    if (result !== undefined) break
  }
  return judge(result, firstMs, monotonicMs() - promptedMs, child.stderrTail())
}

function judge(
  result: RunResult | undefined,
  firstMs: number | undefined,
  totalMs: number,
  stderr: string,
): Result {
  const parked = { 'parked-on-stdin': true }
  const unread = /no prompt provided/i.test(stderr)
  if (result === undefined) {
    const settled = {
      ...parked,
      'result-event': false,
      ...(unread ? { 'prompt-on-stdin': false } : {}),
    }
    const said = stderr.trim().split('\n')[0]?.slice(0, 200) ?? ''
    const fix = unread
      ? 'nothing: the service passes prompts by argument then, and warms nothing'
      : 'see the message; check login and plan'
    return { at: unread ? 'warning' : 'bad', text: `no answer: ${said}`, fix, settled }
  }
  const settled = {
    ...parked,
    'prompt-on-stdin': true,
    'result-event': true,
    'usage-reported': result.usage,
  }
  if (result.isError || result.text === '') {
    return {
      at: 'bad',
      text: `the run failed: ${result.text.slice(0, 200)}`,
      fix: 'see the message; check plan and model',
      settled,
    }
  }
  const times = `first event ${Math.round(firstMs ?? 0)} ms after the prompt, whole answer ${Math.round(totalMs)} ms`
  return { at: 'good', text: `answered from a parked process; ${times}`, settled }
}
