// The README's automation examples do what they say: taken out of the README, pointed at a real service and run.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agents } from '../support/agents.ts'
import { claudeRequest } from '../support/claude-request.ts'
import { within } from '../support/pace.ts'
import { ROOT, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const TIDY = 'export const tidy = 1\n'
const SCRIPT = {
  runs: [
    {
      steps: [
        { init: true },
        { writeFile: 'src/messy.ts', text: TIDY },
        { delta: 'Simplified.' },
        { recap: true },
        { result: true },
      ],
    },
  ],
}

function example(name: string): string {
  const found = new RegExp(`<!-- example:${name} -->\n\`\`\`js\n([\\s\\S]*?)\n\`\`\``).exec(README)
  if (found?.[1] === undefined) throw new Error(`the README has no example ${name}`)
  return found[1]
}

let service: Service
let worktree = ''
let main = ''
beforeAll(async () => {
  service = await startService({ script: SCRIPT, settings: { 'pool.warm': 0 } })
  const home = realpathSync(join(service.folder, 'home'))
  main = join(home, 'project')
  worktree = join(home, 'task-1')
  mkdirSync(join(main, 'src'), { recursive: true })
  writeFileSync(join(main, 'src/messy.ts'), 'export const messy = 1\n')
  const git = (...args: string[]) => execFileSync('git', ['-C', main, ...args])
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'one')
})
afterAll(() => service.stop())

/** The example with our addresses in place of the README's; every one of them must be there. */
function adapted(text: string): string {
  const places = {
    'http://127.0.0.1:8976': service.url,
    '/home/me/trees/task-1': worktree,
  }
  return Object.entries(places).reduce(
    (all, [from, to]) => {
      if (!all.includes(from)) throw new Error(`the example does not name ${from}`)
      return all.replaceAll(from, to)
    },
    text.replaceAll('/home/me/project', main),
  )
}

/** Runs a module inside the checkout, so that it finds the packages; resolves with what it printed. */
async function runModule(
  text: string,
  extra: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/readme-example')
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries({ 'main.mjs': text, ...extra })) {
    writeFileSync(join(folder, name), content)
  }
  const child = spawn(process.execPath, [join(folder, 'main.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      said[name] += part
    })
  }
  const code = await new Promise((resolve) => child.on('close', resolve))
  rmSync(folder, { recursive: true })
  if (code !== 0) throw new Error(`the example ended with ${String(code)}: ${said.stderr}`)
  return said.stdout
}

/**
 * Stands in for the Agent SDK, which is too large to be a dependency (`npm run test:clients` has the real one): sends the
 * request that the SDK was recorded to send, with the address and headers that it takes from `env`.
 */
const AGENT_SDK = (body: object): string => `
import Anthropic from '@anthropic-ai/sdk'
export async function* query({ prompt, options: { model, env } }) {
  const lines = env.ANTHROPIC_CUSTOM_HEADERS.split('\\n')
  const defaultHeaders = Object.fromEntries(lines.map((line) => line.split(/:\\s*/)))
  const client = new Anthropic({ baseURL: env.ANTHROPIC_BASE_URL, authToken: env.ANTHROPIC_AUTH_TOKEN, defaultHeaders })
  const body = JSON.parse(${JSON.stringify(JSON.stringify(body))}.replaceAll('PROMPT', prompt))
  const reply = await client.messages.stream({ ...body, model, max_tokens: 8000 }).finalMessage()
  yield { type: 'result', subtype: reply.stop_reason, result: reply.content.at(-1).text }
}
`

test('the Agent SDK example makes a worktree and Cursor works in it, with the skill as a rule', async () => {
  const text = adapted(example('agent-sdk')).replace(
    '@anthropic-ai/claude-agent-sdk',
    './agent-sdk.mjs',
  )
  const body = claudeRequest({ prompt: 'PROMPT', skills: ['simplify'], folder: worktree })
  const said = await runModule(text, { 'agent-sdk.mjs': AGENT_SDK(body) })
  expect(said).toBe('end_turn Simplified.\n')
  expect(agents(service).at(-1)?.cwd).toBe(worktree)
  expect(service.prompts().at(-1)).toContain('/simplify is the rule @cursor-adapter-simplify')
  expect(readFileSync(join(worktree, 'src/messy.ts'), 'utf8')).toBe(TIDY)
  await until('the rules to be gone', within(5_000), () => !existsSync(join(worktree, '.cursor')))
  expect(execFileSync('git', ['-C', main, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('')
})

test('the Anthropic SDK example works in the worktree that its header names', async () => {
  writeFileSync(join(worktree, 'src/messy.ts'), 'export const messy = 1\n')
  expect(await runModule(adapted(example('anthropic-sdk')))).toMatch(
    /^end_turn \{[\s\S]*Simplified\./,
  )
  expect(readFileSync(join(worktree, 'src/messy.ts'), 'utf8')).toBe(TIDY)
})
