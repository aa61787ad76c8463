// Does `--resume` in print mode know what was said before? Without proof the service replays the whole conversation.
import { isDemoVersion, openCliRecord } from '../workspace/cli-record.ts'
import type { Finding, Patient, Result } from './finding.ts'
import { END, printProcess, type RunResult, resultIn } from './print-process.ts'

/** Nothing that a model would guess. */
const WORD = 'quokka-41'
const FIRST = `Remember this word: ${WORD}. Reply with the single word: noted`
const SECOND = 'Which word did I ask you to remember? Reply with that word and nothing else.'
const ANSWER_MS = 90_000

export const resume: Finding = {
  name: 'resumed chats',
  why: 'a proven --resume sends only what is new; otherwise every turn sends the whole conversation',
  check: async (patient) => {
    const facts = await patient.cli()
    if ('missing' in facts) return { at: 'skipped', text: 'no CLI' }
    if (isDemoVersion(facts.version)) {
      return { at: 'skipped', text: 'the demo agent keeps its chats; there is nothing to find out' }
    }
    const record = await openCliRecord(patient.loaded.home)
    const known = record.resume(facts.version)
    if (!patient.prompt) {
      const text = `${known} for version ${facts.version}; doctor --prompt tries it with two tiny prompts`
      return { at: 'skipped', text }
    }
    return patient.inFolder(async (folder) => {
      const first = await say(FIRST, facts.path, folder, patient)
      if (first === undefined || first.isError || first.chatId === '') return noAnswer(first)
      const second = await say(SECOND, facts.path, folder, patient, first.chatId)
      if (second === undefined || second.isError) return noAnswer(second)
      const isProven = second.text.includes(WORD)
      await record.setResume(facts.version, isProven ? 'proven' : 'broken')
      const settled = { 'resume-remembers': isProven }
      return isProven
        ? { at: 'good', text: `proven for version ${facts.version}`, settled }
        : {
            at: 'warning',
            text: `broken: asked for the word of the turn before, it said: ${second.text.slice(0, 80)}`,
            fix: 'nothing: the service sends whole conversations to this version',
            settled,
          }
    })
  },
}

async function say(
  prompt: string,
  command: string,
  folder: string,
  patient: Patient,
  chatId?: string,
): Promise<RunResult | undefined> {
  const more = chatId === undefined ? [] : ['--resume', chatId]
  const child = await printProcess(command, folder, patient, more)
  const timer = setTimeout(() => void child.end('timeout', { ...END, exitGraceMs: 0 }), ANSWER_MS)
  try {
    child.sendAndEnd(prompt)
    for await (const { lines } of child.lines()) {
      const result = resultIn(lines)
      if (result !== undefined) return result
    }
    return undefined
  } finally {
    clearTimeout(timer)
    // By itself, so that the chat is written.
    await child.end('done', END)
  }
}

function noAnswer(result: RunResult | undefined): Result {
  const said = result === undefined ? 'no result' : result.text.slice(0, 200)
  return {
    at: 'warning',
    text: `not settled: the run failed: ${said}`,
    fix: 'mend the warm prompt finding first, then try again',
  }
}
