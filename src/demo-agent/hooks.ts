// The project's hooks that are asked before a tool runs. Source: Cursor's page on hooks; hooks as run by @cursor/sdk 1.0.23
// to 1.0.32: JSON on stdin, `{permission, user_message}` on stdout, exit code 2 denies, any other failure lets the call
// through unless `failClosed`; only `user_message` reaches the model.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrayAt, isObject, type JsonObject, objectAt, parseJson, stringAt } from '../lib/json.ts'

export interface Asked {
  readonly event: 'preToolUse' | 'beforeMCPExecution'
  /** `Read`, `Shell`, `MCP:<name>`; for beforeMCPExecution the bare name. */
  readonly tool: string
  readonly input: unknown
  /** More fields of the event. */
  readonly more?: JsonObject
}

/** The message of the first hook that denies; undefined when none does. */
export async function deniedByHooks(workspace: string, asked: Asked): Promise<string | undefined> {
  const file = join(workspace, '.cursor', 'hooks.json')
  if (!existsSync(file)) return undefined
  const config = parseJson(readFileSync(file, 'utf8'))
  const hooks = objectAt(isObject(config) ? config : {}, 'hooks') ?? {}
  for (const hook of (arrayAt(hooks, asked.event) ?? []).filter(isObject)) {
    const matcher = stringAt(hook, 'matcher')
    if (matcher !== undefined && !new RegExp(matcher, 'u').test(asked.tool)) continue
    const denied = await ask(hook, workspace, asked)
    if (denied !== undefined) return denied
  }
  return undefined
}

async function ask(hook: JsonObject, workspace: string, asked: Asked): Promise<string | undefined> {
  const { code, output } = await run(stringAt(hook, 'command') ?? '', workspace, {
    hook_event_name: asked.event,
    tool_name: asked.tool,
    tool_input: asked.input,
    workspace_roots: [workspace],
    ...asked.more,
  })
  if (code === 2) return 'Blocked by a hook'
  const answer = parseJson(output)
  if (code !== 0 || !isObject(answer)) {
    return hook.failClosed === true ? 'A hook failed, so the call was blocked' : undefined
  }
  if (stringAt(answer, 'permission') !== 'deny') return undefined
  return stringAt(answer, 'user_message') ?? 'Blocked by a hook'
}

function run(
  command: string,
  cwd: string,
  input: JsonObject,
): Promise<{ code: number | null; output: string }> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(command, { cwd, shell: true, stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    // A hook that does not read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(input))
    child.on('error', () => resolve({ code: 1, output: '' }))
    child.on('close', (code) => resolve({ code, output }))
  })
}
