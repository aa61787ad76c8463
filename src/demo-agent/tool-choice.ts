// Wishes and the tools there are → calls with arguments as the tools' schemas want them. Pure.
import { isObject, type JsonObject, objectAt, stringAt } from '../lib/json.ts'
import { toolOfRole } from '../lib/tool-roles.ts'
import type { McpTool } from './mcp.ts'
import { ROLES, type Wish } from './wishes.ts'

export interface ChosenCall {
  readonly name: string
  readonly arguments: JsonObject
}

/** The calls that fulfil a wish, one after the other; none where no tool fits. */
export function callsFor(
  wish: Wish,
  tools: readonly McpTool[],
  root: string | undefined,
): readonly ChosenCall[] {
  const tool =
    wish.do === 'delegate'
      ? tools.find(({ name }) => /^(?:task|agent|spawn_agent)$/iu.test(name))
      : toolOfRole(ROLES[wish.do], tools)
  if (tool === undefined) {
    const command = commandFor(wish)
    return command === undefined ? [] : callsFor({ do: 'run', command }, tools, root)
  }
  const call = { name: tool.name, arguments: argumentsFor(tool.inputSchema, meanings(wish, root)) }
  if (wish.do !== 'edit') return [call]
  // Some clients refuse to edit what was not read before.
  return [...callsFor({ do: 'read', path: wish.path }, tools, root), call]
}

/** What a shell does where a client has no tool of its own; undefined where that would be no simple command. */
function commandFor(wish: Wish): string | undefined {
  switch (wish.do) {
    case 'read':
      return `cat ${quoted(wish.path)}`
    case 'write':
      return `printf '%s' ${quoted(wish.content)} > ${quoted(wish.path)}`
    case 'find':
      return `find . -name ${quoted(wish.pattern)}`
    case 'search':
      return `grep -rn ${quoted(wish.pattern)} .`
    case 'fetch':
      return `curl -s ${quoted(wish.url)}`
    case 'run':
    case 'edit':
    case 'delegate':
      return undefined
    default:
      return unknownWish(wish)
  }
}

function unknownWish(wish: never): never {
  throw new Error(`unknown wish ${JSON.stringify(wish)}`)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

type Meanings = Readonly<Record<string, unknown>>

function meanings(wish: Wish, root: string | undefined): Meanings {
  const at = (path: string): string =>
    root === undefined || path.startsWith('/') ? path : `${root}/${path.replace(/^\.\//u, '')}`
  switch (wish.do) {
    case 'read':
      return { path: at(wish.path) }
    case 'run':
      return { command: wish.command, description: 'Command of the demo' }
    case 'write':
      return { path: at(wish.path), content: wish.content }
    case 'edit':
      return { path: at(wish.path), old: wish.old, new: wish.new }
    case 'find':
    case 'search':
      return { pattern: wish.pattern }
    case 'fetch':
      return { url: wish.url, prompt: 'What does it say?' }
    case 'delegate':
      return { prompt: wish.prompt, description: 'Errand of the demo', agent: 'general-purpose' }
    default:
      return unknownWish(wish)
  }
}

/** How tools call what is meant. Source: tool lists of the clients named in lib/tool-roles.ts. */
const PROPERTIES: Readonly<Record<string, RegExp>> = {
  path: /^(?:absolute_?|target_?)?(?:file|path|file_?path|file_?name)$/iu,
  command: /^(?:commands?|cmd|script)$/iu,
  content: /^(?:contents?|text|file_?text)$/iu,
  old: /^(?:old_?(?:string|text|str)|search)$/iu,
  new: /^(?:new_?(?:string|text|str)|replace(?:ment)?)$/iu,
  pattern: /^(?:pattern|glob|query|queries|regex)$/iu,
  url: /^(?:url|uri)$/iu,
  prompt: /^prompt$/iu,
  description: /^description$/iu,
  agent: /^subagent_type$/iu,
}

/** What is meant under the tool's own names, and something plain for whatever else is required. */
function argumentsFor(wanted: JsonObject, meant: Meanings): JsonObject {
  const properties = objectAt(wanted, 'properties') ?? {}
  const required = Array.isArray(wanted.required) ? wanted.required : []
  const args: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const meaning = Object.keys(meant).find((key) => PROPERTIES[key]?.test(name))
    const shape = isObject(schema) ? schema : {}
    const items = objectAt(shape, 'items') ?? {}
    if (meaning !== undefined) args[name] = shaped(meant[meaning], name, shape)
    else if (objectAt(items, 'properties') !== undefined) args[name] = [argumentsFor(items, meant)]
    else if (required.includes(name)) args[name] = plainValue(shape)
  }
  return args
}

/** A list of commands, or one command as a list of words. */
function shaped(value: unknown, name: string, schema: JsonObject): unknown {
  if (schema.type !== 'array') return value
  return name === 'command' ? ['bash', '-lc', value] : [value]
}

function plainValue(schema: JsonObject): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0]
  switch (stringAt(schema, 'type') ?? '') {
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return 'demo'
  }
}
