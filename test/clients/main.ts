// `npm run test:clients`: real clients against the real service with the demo agent, as a table client × scenario.
// `-- --client NAME` and `-- --scenario NAME` (parts of names) pick; a client that cannot be installed is skipped.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { agentSdk } from './agent-sdk.ts'
import { claudeCode } from './claude-code.ts'
import type { Client } from './client.ts'
import { install } from './install.ts'
import { openCode, qwenCode } from './openai-style.ts'
import { conversation, question } from './scenarios/answers.ts'
import { cancel, rateLimited } from './scenarios/interrupted.ts'
import {
  failureAfterEdit,
  failureAfterHiddenEdit,
  nothingTwice,
} from './scenarios/nothing-twice.ts'
import { plainToolLoops, toolLoops } from './scenarios/tool-loop.ts'
import { play, type Scenario } from './stage.ts'

const CLIENTS: readonly Client[] = [claudeCode, agentSdk, qwenCode, openCode]
/** What is known of their messages and of how they repeat a request fits the first two only. */
const PLAIN: ReadonlySet<Client> = new Set([qwenCode, openCode])

const { values } = parseArgs({
  options: {
    client: { type: 'string', default: '' },
    scenario: { type: 'string', default: '' },
  },
})

const chosen = (name: string, wish: string): boolean =>
  name.toLowerCase().includes(wish.toLowerCase())

function scenarios(client: Client, folder: string): readonly Scenario[] {
  if (PLAIN.has(client)) return plainToolLoops.filter(({ name }) => chosen(name, values.scenario))
  const limited = rateLimited(folder)
  const failures = [failureAfterEdit, failureAfterHiddenEdit]
  const all = [question, conversation, nothingTwice, ...failures, cancel, limited, ...toolLoops]
  return all.filter(({ name }) => chosen(name, values.scenario))
}

async function outcome(scenario: Scenario, client: Client, folder: string): Promise<string> {
  const startedMs = performance.now()
  try {
    await play(scenario, client, folder)
    return `ok ${((performance.now() - startedMs) / 1000).toFixed(1)} s`
  } catch (error) {
    const { stack } = error instanceof Error ? error : new Error(String(error))
    process.stderr.write(`${client.name}, ${scenario.name}: ${stack}\n`)
    return 'FAILED'
  }
}

const lines: string[] = []
const say = (...cells: readonly string[]): void => {
  const line = cells.map((cell) => cell.padEnd(28)).join('')
  lines.push(line)
  process.stdout.write(`${line.trimEnd()}\n`)
}

for (const client of CLIENTS.filter(({ name }) => chosen(name, values.client))) {
  const title = `${client.name} ${client.version}`
  const installed = await install(client.package, client.version)
  if (installed.at === 'missing') {
    say(title, 'all scenarios', `skipped: ${installed.reason}`)
    continue
  }
  const scratch = mkdtempSync(join(tmpdir(), 'clients-test-'))
  for (const scenario of scenarios(client, scratch)) {
    say(title, scenario.name, await outcome(scenario, client, installed.folder))
  }
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = lines.some((line) => line.includes('FAILED')) ? 1 : 0
