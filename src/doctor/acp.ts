// Does the CLI work in ACP mode, and which words does it have there for its models? Sends no prompt.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { INITIALIZE } from '../backends/acp/handshake.ts'
import { type Offered, readOffered } from '../backends/acp/models.ts'
import { monotonicMs } from '../lib/clock.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../lib/json.ts'
import { type Child, startChild } from '../process/child.ts'
import { childEnvironment } from '../process/environment.ts'
import { seedConfig } from '../workspace/cursor-home.ts'
import type { Finding, Patient, Result } from './finding.ts'
import { END } from './print-process.ts'

const LONGEST_MS = 30_000
const SHOWN = 6

export const acp: Finding = {
  name: 'acp mode',
  why: 'backend auto uses it in scratch folders, where a process that stays up answers sooner',
  check: async (patient) => {
    const facts = await patient.cli()
    if ('missing' in facts) return { at: 'skipped', text: 'no CLI' }
    return patient.inFolder(async (folder) => {
      const child = await start(facts.path, folder, patient)
      const timer = setTimeout(() => {
        void child.end('timeout', { ...END, exitGraceMs: 0 })
      }, LONGEST_MS)
      try {
        return await talk(child, join(folder, 'work'))
      } finally {
        clearTimeout(timer)
        await child.end('done', END)
      }
    })
  },
}

async function start(command: string, folder: string, patient: Patient): Promise<Child> {
  const { cursor } = patient.loaded.config
  const [work, config] = [join(folder, 'work'), join(folder, 'config')]
  await mkdir(work)
  const extra: Record<string, string> = { ...cursor.env }
  if (cursor.config_dir === 'private') {
    await seedConfig(config, patient.env, { sealed: false })
    Object.assign(extra, { CURSOR_CONFIG_DIR: config, CURSOR_DATA_DIR: join(folder, 'data') })
  }
  return startChild({
    command,
    args: ['--model', 'auto', 'acp'],
    cwd: work,
    env: childEnvironment(patient.env, extra, 'doctor'),
    maxLineBytes: 64 << 20,
  })
}

async function talk(child: Child, cwd: string): Promise<Result> {
  const sentMs = monotonicMs()
  const ask = (id: number, method: string, params: JsonObject): void =>
    child.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  ask(1, 'initialize', INITIALIZE)
  for await (const { lines } of child.lines()) {
    for (const line of lines) {
      const message = parseJson(line)
      if (!isObject(message) || message.jsonrpc !== '2.0') return bad(`it wrote: ${line}`)
      const error = objectAt(message, 'error')
      if (error !== undefined) return bad(stringAt(error, 'message') ?? 'it refused')
      const result = objectAt(message, 'result')
      if (message.id === 1) ask(2, 'session/new', { cwd, mcpServers: [] })
      if (message.id === 2 && result !== undefined) return good(result, monotonicMs() - sentMs)
    }
  }
  return bad(child.stderrTail().trim().split('\n')[0] || 'it ended without an answer')
}

function good(answer: JsonObject, ms: number): Result {
  const offered = readOffered(answer)
  return {
    at: 'good',
    text: `session open after ${Math.round(ms)} ms; ${vocabulary(offered)}`,
    settled: { 'acp-session': true },
  }
}

/** ACP has other names for models than the list command, in one of two forms. */
export function vocabulary({ models, options }: Offered): string {
  if (models.length === 0) return 'no models named'
  const ids = models.map(({ id }) => id)
  const more = ids.length > SHOWN ? ', …' : ''
  const isBracketed = ids.some((id) => id.includes('['))
  const beside = options.map(({ id }) => id).filter((id) => id !== 'model' && id !== 'mode')
  const form = isBracketed
    ? 'variants in brackets'
    : `base names${beside.length > 0 ? ` with options (${beside.join(', ')})` : ''}`
  return `${ids.length} models, ${form}: ${ids.slice(0, SHOWN).join(', ')}${more}`
}

function bad(why: string): Result {
  return {
    at: 'warning',
    text: `no session: ${why.slice(0, 200)}`,
    fix: 'nothing, backend auto takes print then; with backend: acp, check login and version',
    settled: { 'acp-session': false },
  }
}
