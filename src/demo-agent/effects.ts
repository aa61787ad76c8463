// Every step a script can have. docs/demo-agent.md says what each one means.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../lib/json.ts'
import { forever, pause } from './life.ts'
import { closeStdin, write, writeError, writeThrough } from './pipes.ts'
import { filled, filledDeep, filledObject } from './placeholders.ts'
import { misuse } from './refusal.ts'
import { claimOnce, type Step } from './script.ts'
import type { Effect, Stage } from './stage.ts'

const textEffects: Readonly<Record<string, Effect>> = {
  init: async (step, stage) => {
    await stage.thought()
    await stage.answer.init(objectAt(step, 'init') ?? {})
    stage.begun()
  },
  echo: (_step, { answer }) => answer.echo(),
  delta: (step, stage) => stage.answer.delta(filled(step, 'delta', stage)),
  recap: (step, { answer }) => answer.recap(stringAt(step, 'recap')),
  full: (step, stage) => stage.answer.full(filled(step, 'full', stage), stringAt(step, 'id')),
  thinking: (step, { answer }) => answer.thinking(stringAt(step, 'thinking') ?? ''),
  thinkingEnd: (_step, { answer }) => answer.thinking(undefined),
  toolStart: (step, { answer }) => {
    const call = objectAt(step, 'toolStart') ?? {}
    return answer.tool(toolOf(call), stringAt(call, 'modelCallId'))
  },
  toolEnd: (step, { answer }) => {
    const call = objectAt(step, 'toolEnd') ?? {}
    return answer.tool({ ...toolOf(call), result: call.result }, stringAt(call, 'modelCallId'))
  },
  result: (step, { answer }) => {
    const text = stringAt(step, 'result')
    return answer.result(text === undefined ? (objectAt(step, 'result') ?? {}) : { result: text })
  },
  line: (step, stage) => {
    const line = filledDeep(step.line, stage)
    return isObject(line) ? stage.answer.line(line) : undefined
  },
  burst: async (step, stage) => (await import('./bulk.ts')).burst(step, stage),
  stamps: async (step, stage) => (await import('./bulk.ts')).stamps(step, stage),
}

const byteEffects: Readonly<Record<string, Effect>> = {
  raw: async (step, stage) => {
    const bytes = Buffer.from(filled(step, 'raw', stage))
    const size = numberAt(step, 'chunk')
    if (size === undefined || size < 1) return write(bytes)
    for (let at = 0; at < bytes.length; at += size) {
      await writeThrough(bytes.subarray(at, at + size))
      // A turn of the loop, so that a reader on another core can see each piece by itself.
      await new Promise((resolve) => void setImmediate(resolve))
    }
  },
  stderr: (step) => writeError(stringAt(step, 'stderr') ?? ''),
  play: async (step, stage) => {
    await stage.thought()
    const bytes = readFileSync(resolve(stage.scriptFolder, stringAt(step, 'play') ?? ''))
    for (let at = 0; at < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, at)
      const end = newline < 0 ? bytes.length : newline + 1
      const line = bytes.subarray(at, end)
      if (line.includes('{"type":"result"')) stage.sawResult = true
      await write(line)
      at = end
    }
  },
}

const worldEffects: Readonly<Record<string, Effect>> = {
  sleep: (step) => pause(numberAt(step, 'sleep') ?? 0),
  waitFile: async (step, { cwd }) => {
    const path = resolve(cwd, stringAt(step, 'waitFile') ?? '')
    while (!existsSync(path)) await pause(5)
  },
  writeFile: (step, { cwd }) => {
    writeFileSync(resolve(cwd, stringAt(step, 'writeFile') ?? ''), stringAt(step, 'text') ?? '')
    return undefined
  },
  look: async (step, stage) => {
    const path = resolve(stage.cwd, filled(step, 'look', stage))
    const call = { kind: 'readToolCall', id: `look_${performance.now()}`, args: { path } }
    await stage.answer.tool(call, undefined)
    const { deniedBuiltIn } = await import('./tool-steps.ts')
    const reason = await deniedBuiltIn(call.kind, call.args, stage)
    const result = reason === undefined ? readResult(path) : { rejected: { reason } }
    await stage.answer.tool({ ...call, result }, undefined)
  },
  appendFile: (step, { cwd }) => {
    appendFileSync(resolve(cwd, stringAt(step, 'appendFile') ?? ''), stringAt(step, 'text') ?? '')
    return undefined
  },
  grandchild: async (step, { journal }) => {
    const { startGrandchild } = await import('./grandchild.ts')
    journal.grandchild(await startGrandchild(objectAt(step, 'grandchild') ?? {}))
  },
}

const lifeEffects: Readonly<Record<string, Effect>> = {
  exit: (step, { life }) => life.leave(numberAt(step, 'exit') ?? 0),
  signal: (step, { life }) => life.dieBy(stringAt(step, 'signal') ?? 'SIGTERM'),
  hang: () => forever(),
  grow: async (step, stage) => (await import('./ballast.ts')).grow(step, stage),
  ignore: (step, { life }) => {
    const names = arrayAt(step, 'ignore') ?? []
    life.ignore(names.filter((name) => typeof name === 'string'))
    return undefined
  },
  closeStdin: (_step, stage) => {
    stage.stdinClosed = true
    closeStdin()
    return undefined
  },
  noExit: (_step, stage) => {
    stage.staysUp = true
    return undefined
  },
}

const flowEffects: Readonly<Record<string, Effect>> = {
  repeat: async (step, stage) => {
    const times = numberAt(step, 'repeat') ?? 0
    for (let round = 0; round < times; round += 1) await play(stepsOf(step), stage)
  },
  once: async (step, stage) => {
    const path = resolve(stage.scriptFolder, stringAt(step, 'once') ?? '')
    if (claimOnce(path)) await play(stepsOf(step), stage)
  },
}

/** Steps of ACP mode; in print mode they do nothing. */
const acpEffects: Readonly<Record<string, Effect>> = {
  update: (step, stage) => stage.acp?.update(filledObject(step, 'update', stage)),
  notify: (step, stage) => {
    const call = filledObject(step, 'notify', stage)
    return stage.acp?.notify(stringAt(call, 'method') ?? '', objectAt(call, 'params') ?? {})
  },
  ask: async (step, stage) => {
    const call = filledObject(step, 'ask', stage)
    await stage.acp?.ask(stringAt(call, 'method') ?? '', objectAt(call, 'params') ?? {})
  },
  permission: async (step, stage) => {
    const { askPermission } = await import('./acp-permission.ts')
    const allowed = await askPermission(filledObject(step, 'permission', stage), stage.acp)
    const next = objectAt(step, 'permission') ?? {}
    await play(stepsOf({ steps: next[allowed ? 'allowed' : 'rejected'] }), stage)
  },
  stop: (step, { acp }) => {
    acp?.stop(stringAt(step, 'stop') ?? 'end_turn')
    return undefined
  },
  fail: (step, stage) => stage.acp?.fail(filledObject(step, 'fail', stage)),
  ignoreCancel: (_step, { acp }) => {
    acp?.deaf()
    return undefined
  },
  late: (step, { acp }) => {
    acp?.late(stringAt(step, 'late') ?? '')
    return undefined
  },
  answer: (step, stage) => {
    stage.acp?.answer(filledObject(step, 'answer', stage))
    return undefined
  },
}

/** Tools of MCP servers, and built-in ones that are asked for permission. */
const toolEffects: Readonly<Record<string, Effect>> = {
  call: async (step, stage) => {
    const { playCalls } = await import('./tool-steps.ts')
    await playCalls([filledObject(step, 'call', stage)], stage)
  },
  calls: async (step, stage) => {
    const { playCalls } = await import('./tool-steps.ts')
    const calls = filledDeep(step.calls, stage)
    await playCalls(Array.isArray(calls) ? calls.filter(isObject) : [], stage)
  },
  attempt: async (step, stage) => {
    const { playAttempt } = await import('./tool-steps.ts')
    await playAttempt(filledObject(step, 'attempt', stage), stage)
  },
  waitTool: async (step, stage) => {
    const { waitForTool } = await import('./tool-steps.ts')
    await waitForTool(filled(step, 'waitTool', stage), stage)
  },
}

const EFFECTS: ReadonlyMap<string, Effect> = new Map(
  [
    textEffects,
    byteEffects,
    worldEffects,
    lifeEffects,
    flowEffects,
    acpEffects,
    toolEffects,
  ].flatMap(Object.entries),
)

export function isEffect(name: string): boolean {
  return EFFECTS.has(name)
}

/** Plays the steps one after the other; each waits until the pipe has taken what it wrote. */
export async function play(steps: readonly Step[], stage: Stage): Promise<void> {
  for (const step of steps) {
    const name = Object.keys(step).find(isEffect)
    const effect = name === undefined ? undefined : EFFECTS.get(name)
    if (effect === undefined) throw misuse(`unknown step ${JSON.stringify(step)}`)
    await effect(step, stage)
  }
}

function stepsOf(step: Step): readonly Step[] {
  return (arrayAt(step, 'steps') ?? []).filter(isObject)
}

/** Source: captures of 2026.07 to 2026.10, readToolCall. Assumed: the words for a missing file. */
function readResult(path: string): JsonObject {
  if (!existsSync(path)) return { error: { errorMessage: 'File not found' } }
  const content = readFileSync(path, 'utf8')
  const totalLines = content.split('\n').length
  return { success: { content, totalLines, fileSize: content.length, path } }
}

function toolOf(call: JsonObject): { kind: string; id: string; args: unknown } {
  const kind = stringAt(call, 'kind')
  const id = stringAt(call, 'id')
  if (kind === undefined || id === undefined) {
    throw misuse(`a tool step needs kind and id: ${JSON.stringify(call)}`)
  }
  return { kind, id, args: call.args }
}
