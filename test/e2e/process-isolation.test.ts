// Field case F55: nothing of one conversation reaches the agent of another, whatever they share.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AgentFacts, agentOf, prompted } from '../support/agents.ts'
import { send, unique, WAYS } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { OK, delta as say } from '../support/steps.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const SECRET = 'ZEBRA-7391'

/** Every file below a folder, name and text. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const path = join(folder, name)
      return statSync(path).isFile() ? `${name}\n${readFileSync(path, 'utf8')}` : name
    })
    .join('\n')
}

/** False too while folders vanish under the look. */
function hasGone(folder: string, text: string): boolean {
  try {
    return !everything(folder).includes(text)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

describe('conversations on one warm pool', () => {
  let service: Service
  beforeAll(async () => {
    const script = {
      runs: [
        {
          match: 'ZEBRA',
          steps: [
            { init: true },
            { writeFile: 'zebra.txt', text: SECRET },
            // The conversation's own data folder; over ACP that is the process's.
            { writeFile: OVER_ACP ? 'data.txt' : '../data/zebra.txt', text: SECRET },
            say(`I noted ${SECRET}.`),
            OK,
          ],
        },
        { steps: [{ init: true }, { waitFile: 'go' }, say('fresh'), OK] },
      ],
    }
    const settings = { concurrency: 2, 'pool.warm': 2, 'sessions.max': 1 }
    service = await startService({ script, settings })
  })
  afterAll(() => service.stop())

  test('F55: a fresh conversation finds no text, id, file or resumed chat of the one before', async () => {
    for (const [at, way] of WAYS.entries()) {
      const other = WAYS[(at + 1) % WAYS.length] ?? way
      const first = unique(`Remember ${SECRET}`)
      const zebra = [{ role: 'user', content: first }]
      expect((await send(service, way, { messages: zebra })).text).toContain(SECRET)
      const before = agentOf(service, first)

      const question = unique('What did I tell you')
      const reply = send(service, other, { messages: [{ role: 'user', content: question }] })
      const agent = await prompted(service, question)
      // An ACP process serves many conversations, each in a session and a folder of its own.
      if (!OVER_ACP) expect(agent.pid).not.toBe(before.pid)
      expect(agent.cwd).not.toBe(before.cwd)
      checkClean(agent)
      writeFileSync(join(agent.cwd, 'go'), '')
      expect((await reply).text).toBe('fresh')
    }
    // Nor does it stay behind: the folders go with their agents, or with the conversations that they belong to.
    await until('the folders of finished agents to be gone', within(5000), () => {
      return hasGone(service.scratchRoot, 'ZEBRA')
    })
  })

  function checkClean(agent: AgentFacts): void {
    expect(JSON.stringify([agent.argv, agent.env])).not.toContain('ZEBRA')
    for (const flag of ['--resume', '--continue', '-c']) expect(agent.argv).not.toContain(flag)
    const prompt = service.prompts().at(-1)
    expect(prompt).not.toContain('ZEBRA')
    expect(everything(OVER_ACP ? agent.cwd : dirname(agent.cwd))).not.toMatch(/ZEBRA|zebra/)
  }
})
