// Steps that use tools: calls of MCP servers' tools that really happen, and attempts of built-in ones. Permissions and hooks
// are asked as the CLI does.
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../lib/json.ts'
import { askPermission } from './acp-permission.ts'
import type { ToolCall } from './answer.ts'
import { deniedByHooks } from './hooks.ts'
import { pause } from './life.ts'
import { uuid } from './lines.ts'
import type { McpTool } from './mcp.ts'
import { readRules } from './permission-rules.ts'
import { misuse } from './refusal.ts'
import type { Stage } from './stage.ts'

/** Assumed: the MCP SDK's own. */
const PATIENCE_MS = 60_000

/** One call, or several at once; what the tools say becomes `$RESULT`, `$RESULT1`, `$RESULT2`, … */
export async function playCalls(calls: readonly JsonObject[], stage: Stage): Promise<void> {
  const texts = await Promise.all(calls.map((call) => playCall(call, stage)))
  stage.results.push(...texts)
}

async function playCall(call: JsonObject, stage: Stage): Promise<string> {
  const name = stringAt(call, 'name')
  if (name === undefined) throw misuse(`a call needs a name: ${JSON.stringify(call)}`)
  const args = objectAt(call, 'arguments') ?? {}
  const tool = stage.mcp?.list().find((one) => one.name === name)
  const server = tool?.server ?? 'client'
  const id = stringAt(call, 'id') ?? newId()
  const shown: ToolCall = {
    kind: 'mcpToolCall',
    id,
    // Source: recorded calls.
    args: {
      name: `${server}-${name}`,
      args,
      toolCallId: id,
      providerIdentifier: server,
      toolName: name,
    },
  }
  await stage.answer.tool(shown, undefined)
  const refused = await refusal({ server, name, args, id }, stage)
  const result = refused ?? (await called(tool, call, stage))
  await stage.answer.tool({ ...shown, result }, undefined)
  return textOf(result)
}

async function called(
  tool: McpTool | undefined,
  call: JsonObject,
  stage: Stage,
): Promise<JsonObject> {
  // Source: Cursor's protobuf definitions: `error{error}`. Assumed: the words.
  if (tool === undefined || stage.mcp === undefined) {
    return { error: { error: `Tool not found: ${stringAt(call, 'name') ?? ''}` } }
  }
  const cancel = new AbortController()
  const cancelMs = numberAt(call, 'cancelMs')
  const timer = cancelMs === undefined ? undefined : setTimeout(() => cancel.abort(), cancelMs)
  try {
    return await stage.mcp.call(tool, objectAt(call, 'arguments') ?? {}, {
      signal: AbortSignal.any([stage.signal, cancel.signal]),
      patienceMs: numberAt(call, 'giveUpMs') ?? PATIENCE_MS,
    })
  } finally {
    clearTimeout(timer)
  }
}

interface Wanted {
  readonly server: string
  readonly name: string
  readonly args: JsonObject
  readonly id: string
}

/** The result of a call that must not run; undefined for one that may. */
async function refusal(wanted: Wanted, stage: Stage): Promise<JsonObject | undefined> {
  const { server, name, args: input } = wanted
  const reason =
    (await deniedByHooks(stage.cwd, { event: 'preToolUse', tool: `MCP:${name}`, input })) ??
    (await deniedByHooks(stage.cwd, {
      event: 'beforeMCPExecution',
      tool: name,
      input,
      more: { mcp_server_name: server },
    }))
  if (reason !== undefined) return { rejected: { reason, isReadonly: false } }
  if (await mayRun(wanted, stage)) return undefined
  // Source: recorded refusals.
  const words = `MCP tool execution rejected by user: ${server}-${name} `
  return { rejected: { reason: words, isReadonly: false } }
}

async function mayRun({ server, name, args, id }: Wanted, stage: Stage): Promise<boolean> {
  const verdict = readRules(stage.configFolder, stage.cwd).verdict('Mcp', `${server}:${name}`)
  if (verdict === 'deny') return false
  if (stage.forced) return true
  // Source: probes of 2026.08.11: ACP asks before each call. Assumed: also where an allow rule fits.
  if (stage.acp === undefined) return verdict === 'allow'
  return askPermission({ title: `MCP: ${name}`, kind: 'other', id, rawInput: args }, stage.acp)
}

const BUILT_INS: Readonly<
  Record<string, { hook: string; rule: 'Shell' | 'Read' | 'Write' | 'WebFetch'; main: string }>
> = {
  shellToolCall: { hook: 'Shell', rule: 'Shell', main: 'command' },
  readToolCall: { hook: 'Read', rule: 'Read', main: 'path' },
  editToolCall: { hook: 'Write', rule: 'Write', main: 'path' },
  writeToolCall: { hook: 'Write', rule: 'Write', main: 'path' },
  deleteToolCall: { hook: 'Delete', rule: 'Write', main: 'path' },
  grepToolCall: { hook: 'Grep', rule: 'Read', main: 'path' },
  globToolCall: { hook: 'Glob', rule: 'Read', main: 'targetDirectory' },
  webFetchToolCall: { hook: 'WebFetch', rule: 'WebFetch', main: 'url' },
}

/** Why a built-in tool may not run; undefined when it may. */
export async function deniedBuiltIn(
  kind: string,
  args: JsonObject,
  stage: Stage,
): Promise<string | undefined> {
  const known = BUILT_INS[kind]
  const hook = known?.hook ?? kind.replace(/ToolCall$/u, '')
  const denied = await deniedByHooks(stage.cwd, { event: 'preToolUse', tool: hook, input: args })
  if (denied !== undefined || known === undefined) return denied
  const rules = readRules(stage.configFolder, stage.cwd)
  const verdict = rules.verdict(known.rule, stringAt(args, known.main) ?? '')
  return verdict === 'deny' ? 'Denied by the permissions' : undefined
}

/** A built-in tool as the model would try it: what the script says where it may run, else the reason why not. */
export async function playAttempt(attempt: JsonObject, stage: Stage): Promise<void> {
  const kind = stringAt(attempt, 'kind') ?? 'readToolCall'
  const args = objectAt(attempt, 'args') ?? {}
  const call: ToolCall = { kind, id: stringAt(attempt, 'id') ?? newId(), args }
  await stage.answer.tool(call, undefined)
  const reason = await deniedBuiltIn(kind, args, stage)
  stage.journal.fact('built-in', { kind, denied: reason ?? null })
  const result =
    reason === undefined ? (attempt.result ?? { success: {} }) : { rejected: { reason } }
  await stage.answer.tool({ ...call, result }, undefined)
  stage.results.push(reason ?? '')
}

/** Until a tool of this name is listed. */
export async function waitForTool(name: string, stage: Stage): Promise<void> {
  while (stage.mcp?.list().some((tool) => tool.name === name) !== true) await pause(5)
}

/** Source: recorded ids: two joined by a newline. */
const newId = (): string => `call-${uuid()}-0\nfc_${uuid()}_0`

function textOf(result: JsonObject): string {
  const [outcome = ''] = Object.keys(result)
  const detail = objectAt(result, outcome) ?? {}
  if (outcome !== 'success') {
    return stringAt(detail, 'reason') ?? stringAt(detail, 'error') ?? outcome
  }
  return (arrayAt(detail, 'content') ?? []).filter(isObject).map(partText).join('\n')
}

function partText(part: JsonObject): string {
  const text = objectAt(part, 'text')
  if (text !== undefined) return stringAt(text, 'text') ?? ''
  const image = objectAt(part, 'image') ?? {}
  const bytes = Buffer.from(stringAt(image, 'data') ?? '', 'base64').length
  return `[${stringAt(image, 'mimeType') ?? 'image'}, ${bytes} bytes]`
}
