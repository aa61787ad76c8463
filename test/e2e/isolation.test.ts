// Many conversations at once, some with a shared client id, with cancels, deaths of agents and evictions: no prompt ever
// holds another conversation's text, and every session has been told its own transcript exactly once.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { type Service, startService } from '../support/service.ts'
import { delta, OK } from '../support/steps.ts'
import { promptFacts, quiet, Talk } from '../support/talk.ts'

vi.setConfig({ testTimeout: 240_000 })

const TALKS = 5
const step = fc.record({
  talk: fc.nat(TALKS - 1),
  /** Most turns simply go on. */
  how: fc.constantFrom('say', 'say', 'say', 'say', 'cancel', 'kill'),
  /** Wait for the turn before the next step begins. */
  wait: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let made = 0

test.each(['acp', 'print'])('isolation over %s', async (backend) => {
  const service = await startService({
    settings: { backend, concurrency: 3, max_waiting: 100, 'pool.warm': 1, 'sessions.max': 3 },
    script: { runs: [{ steps: [{ init: true }, delta('yes'), { sleep: 20 }, OK] }] },
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
      const before = promptFacts(service).length
      await playAll(service, steps)
      check(promptFacts(service).slice(before))
    }),
    { numRuns: 4, endOnFailure: true },
  )
  await service.stop()
})

async function playAll(service: Service, steps: readonly Step[]): Promise<void> {
  made += 1
  // Two and two share a client's id; the fifth has none.
  const talks = Array.from({ length: TALKS }, (_, index) => {
    return new Talk(service, index < 4 ? { id: `client-${made}-${index >> 1}` } : {})
  })
  const names = talks.map((_, index) => `talk-${made}-${index}`)
  const turns = talks.map(() => 0)
  const last = talks.map(() => Promise.resolve())
  for (const { talk, how, wait } of steps) {
    const client = talks[talk]
    if (client === undefined) continue
    turns[talk] = (turns[talk] ?? 0) + 1
    const text = `<<${names[talk]}.${turns[talk]}>>`
    const turn = (last[talk] ?? Promise.resolve()).then(() => {
      return how === 'cancel' ? cancelled(client, text) : said(service, client, text, how)
    })
    last[talk] = turn
    if (wait) await turn
  }
  await Promise.all(last)
  await quiet(service)
}

async function said(service: Service, client: Talk, text: string, how: string): Promise<void> {
  const asking = client.say(text)
  if (how === 'kill') killOne(service)
  const heard = await asking
  // A client keeps what it asked also when the answer failed.
  if (heard.status !== 200 || heard.error !== undefined) {
    client.said.push({ role: 'user', content: text })
  }
}

async function cancelled(client: Talk, text: string): Promise<void> {
  const abort = new AbortController()
  const asking = client.say(text, abort.signal)
  setTimeout(() => abort.abort(), 10)
  try {
    await asking
  } catch (error) {
    if (!abort.signal.aborted) throw error
    client.said.push({ role: 'user', content: text })
  }
}

/** The agent that got the last prompt, if it still lives. */
function killOne(service: Service): void {
  const { pid = 0 } = promptFacts(service).at(-1) ?? {}
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function check(facts: ReturnType<typeof promptFacts>): void {
  const told = new Map<string, string[]>()
  for (const [index, { text, session }] of facts.entries()) {
    const marks = [...text.matchAll(/<<(talk-\d+-\d+)\.(\d+)>>/g)]
    expect(new Set(marks.map(([, name]) => name)).size, text).toBe(1)
    // A fresh print chat has no id in the journal: its first prompt stands alone.
    const id = session === '' ? `fresh ${index}` : session
    const known = told.get(id) ?? []
    told.set(id, [...known, ...marks.map(([mark]) => mark)])
  }
  for (const [session, marks] of told) {
    expect(new Set(marks.map((mark) => mark.split('.')[0])).size, session).toBe(1)
    expect(new Set(marks).size, `${session}: ${marks.join(' ')}`).toBe(marks.length)
    const turns = marks.map((mark) => Number(/\.(\d+)>>$/.exec(mark)?.[1]))
    expect(turns, session).toEqual(turns.toSorted((a, b) => a - b))
    // A fresh session holds everything from the first turn on without a gap.
    if (session.startsWith('fresh') || turns[0] === 1) {
      expect(turns, session).toEqual(turns.map((_, index) => index + 1))
    }
  }
}
