// Print mode from start to exit: boot, refusals, prompt, run, linger.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Answer } from './answer.ts'
import type { Arguments } from './argv.ts'
import type { BuiltInFacts } from './built-in.ts'
import { NO_CHATS } from './chats.ts'
import { checkRun, type RunFacts } from './checks.ts'
import { isEffect, play } from './effects.ts'
import { findFolders } from './home.ts'
import { forever, type Journal, type Life, pause } from './life.ts'
import { uuid } from './lines.ts'
import type { McpTools } from './mcp.ts'
import { prepareOutput, takePrompt } from './pipes.ts'
import { Refused } from './refusal.ts'
import { loadScript, type Script } from './script.ts'
import type { Settings } from './settings.ts'
import type { Stage } from './stage.ts'

export interface Program {
  readonly settings: Settings
  readonly arguments: Arguments
  readonly env: NodeJS.ProcessEnv
  readonly journal: Journal
  readonly life: Life
}

/** Never returns. @throws Refused for everything the CLI refuses. */
export async function runPrint(program: Program): Promise<never> {
  const { settings, journal } = program
  const script = settings.script === undefined ? undefined : loadScript(settings.script, isEffect)
  const startup = await playStartup(program, script)
  // The clock of BOOT_MS starts with the process.
  await pause(settings.bootMs - performance.now())
  const facts = await checkRun(program)
  // Assumed: servers are contacted while the prompt is still awaited.
  const connecting = connectProject(program, facts)
  // Whatever can be loaded while stdin is waited for is loaded then: a warm start begins here.
  prepareOutput()
  const builtIn = script === undefined ? import('./built-in.ts') : undefined
  const prompt = await takePrompt({
    words: program.arguments.words,
    readsStdin: settings.readsStdin,
    stdinClosed: startup.stdinClosed,
    journal,
  })
  const promptAtMs = performance.now()
  if (prompt.trim() === '' && !startup.stdinClosed) {
    throw new Refused('No prompt provided for print mode')
  }
  const mcp = await connecting
  const told = builtInFacts(prompt, facts, settings)
  const steps =
    script?.choose(prompt) ?? (await builtIn)?.builtIn({ ...told, tools: mcp?.list() ?? [] }) ?? []
  const stage = {
    ...openStage(program, facts, prompt, script?.folder ?? facts.workspace),
    mcp,
  }
  stage.thought = () => pause(settings.thinkMs - (performance.now() - promptAtMs))
  await play(steps, stage)
  return finish(program, stage, facts)
}

async function playStartup(program: Program, script: Script | undefined): Promise<Stage> {
  const cwd = process.cwd()
  // Nothing of a run is known yet: a line printed here (a spare that speaks) has ids of its own.
  const facts: RunFacts = {
    format: 'stream-json',
    partial: true,
    showThinking: false,
    apiKeySource: 'login',
    workspace: cwd,
    model: { id: 'auto', label: 'Auto' },
    sessionId: uuid(),
    earlierChars: 0,
    earlierTurns: 0,
    chats: NO_CHATS,
    refusedFlag: undefined,
  }
  const stage = openStage(program, facts, '', script?.folder ?? cwd)
  await play(script?.startup ?? [], stage)
  return stage
}

interface OpenStage extends Stage {
  readonly answer: Answer
  thought: () => Promise<void> | undefined
}

function openStage(
  program: Program,
  facts: RunFacts,
  prompt: string,
  scriptFolder: string,
): OpenStage {
  const { settings, journal, life } = program
  return {
    answer: new Answer({
      ...facts,
      model: facts.model.label,
      cwd: facts.workspace,
      requestId: uuid(),
      prompt,
      resumedChars: facts.earlierChars,
      reportsUsage: !settings.quirks.has('no-usage'),
    }),
    prompt,
    cwd: resolve(facts.workspace),
    scriptFolder,
    journal,
    life,
    configFolder: findFolders(program.env, undefined).config,
    forced: program.arguments.options.has('force') || program.arguments.options.has('yolo'),
    signal: new AbortController().signal,
    results: [],
    thought: () => undefined,
    begun: () => facts.chats.begin(facts.sessionId),
    staysUp: false,
    sawResult: false,
    stdinClosed: false,
  }
}

/** Loads the MCP client only where a server is named. */
async function connectProject(program: Program, facts: RunFacts): Promise<McpTools | undefined> {
  const { env, journal, settings, arguments: given } = program
  if (settings.quirks.has('ignores-mcp')) return undefined
  if (!existsSync(join(facts.workspace, '.cursor', 'mcp.json'))) return undefined
  const { projectServers } = await import('./mcp-servers.ts')
  const { approved, skipped } = projectServers({
    workspace: facts.workspace,
    folders: findFolders(env, given.options.get('data-dir')?.at(-1)),
    approvesAll: given.options.has('approve-mcps'),
  })
  for (const server of skipped) journal.fact('mcp', { server, how: 'unapproved' })
  if (approved.length === 0) return undefined
  const { openMcp } = await import('./mcp.ts')
  return openMcp(approved, { journal, relists: !settings.quirks.has('no-relist') })
}

type ToldFacts = Omit<BuiltInFacts, 'tools'>

function builtInFacts(prompt: string, facts: RunFacts, settings: Settings): ToldFacts {
  return {
    prompt,
    modelId: facts.model.id,
    partial: facts.partial,
    earlierTurns: facts.earlierTurns,
    refusedFlag: facts.refusedFlag,
    sessionId: facts.sessionId,
    nowMs: Date.now(),
    paceMs: settings.paceMs,
  }
}

async function finish(program: Program, stage: OpenStage, facts: RunFacts): Promise<never> {
  const { settings, life } = program
  await stage.answer.close()
  if (stage.answer.finished) {
    facts.chats.addTurn(facts.sessionId, stage.prompt, stage.answer.text)
  }
  if (stage.staysUp) return forever()
  // Source: runs of 2026.08: the exit comes seconds after the result line.
  if (stage.answer.finished || stage.sawResult) await pause(settings.lingerMs)
  return life.leave(0)
}
