// The table of Cursor's tool kinds: public name, public argument names, title, short result. Pure.
// Names and arguments are those of Claude Code's tools where it has one that does the same.
// Source, per row: `recorded` = seen in published captures of 2026 builds; `schema` = shipped protobuf definitions only;
// `documented` = Cursor's output format page.
import type { Json } from '../core/turn.ts'
import { isObject, type JsonObject, numberAt, objectAt, stringAt } from '../lib/json.ts'
import * as say from './tool-summaries.ts'
import { asJson, booleanAt, fields, firstString, objects, strings } from './tool-values.ts'

export interface ToolRow {
  readonly name: string | ((args: JsonObject) => string)
  /** Cursor's arguments under public names, bookkeeping left out. */
  readonly input: (args: JsonObject) => Json
  /** The main argument, for one line; '' for none. */
  readonly title: (args: JsonObject) => string
  /** What a success brought, from `result.success`. */
  readonly success: (success: JsonObject) => string
}

const title =
  (...keys: readonly string[]) =>
  (args: JsonObject): string =>
    firstString(args, ...keys) ?? ''

/** Fields that tell the CLI how to run a call, not what the call does. Source: recorded shell, task and MCP calls. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'toolCallId',
  'conversationId',
  'requestId',
  'simpleCommands',
  'hasInputRedirect',
  'hasOutputRedirect',
  'parsingResult',
  'fileOutputThresholdBytes',
  'skipApproval',
  'timeoutBehavior',
  'hardTimeout',
  'closeStdin',
  'adminCommandDenylist',
  'agentId',
  'respondingToMessageIds',
  'environment',
  'hookAdditionalContexts',
])

/** Arguments of a kind without a row of its own. */
export function plainInput(args: JsonObject): Json {
  const kept: Record<string, Json> = {}
  for (const [key, value] of Object.entries(args)) {
    if (!BOOKKEEPING.has(key)) kept[key] = asJson(value)
  }
  return kept
}

const TITLE_KEYS = [
  'path',
  'filePath',
  'command',
  'query',
  'pattern',
  'url',
  'title',
  'name',
  'description',
]

export const genericRow = (name: string): ToolRow => ({
  name,
  input: plainInput,
  title: title(...TITLE_KEYS),
  success: say.generic,
})

const todoStatus = (status: string | undefined): string =>
  (status ?? 'pending').replace('TODO_STATUS_', '').toLowerCase()

const todos = (args: JsonObject): Json =>
  fields({
    todos: objects(args, 'todos').map((todo) =>
      fields({
        id: todo.id,
        content: todo.content,
        status: todoStatus(stringAt(todo, 'status')),
      }),
    ),
    merge: args.merge,
  })

/** The sub-agent's type: the one key of the oneof, or the name of a custom one. */
function subagentType(args: JsonObject): string | undefined {
  const type = args.subagentType
  if (typeof type === 'string') return type
  if (!isObject(type)) return undefined
  const key = Object.keys(type)[0]
  if (key === undefined || key === 'unspecified') return 'general-purpose'
  const custom = objectAt(type, 'custom')
  return custom === undefined ? key : (stringAt(custom, 'name') ?? 'custom')
}

/** Old and new text as the older edit forms carry them; the present form shows the new text only. */
function edit(args: JsonObject): Json {
  const replace = objectAt(args, 'strReplace')
  const patch = objectAt(args, 'applyPatch')
  const several = objectAt(args, 'multiStrReplace')
  return fields({
    file_path: args.path,
    ...(replace === undefined
      ? {}
      : {
          old_string: replace.oldText,
          new_string: replace.newText,
          replace_all: replace.replaceAll,
        }),
    new_string: replace?.newText ?? args.streamContent,
    patch: patch?.patchContent,
    edits:
      several === undefined
        ? undefined
        : objects(several, 'edits').map((one) =>
            fields({ old_string: one.oldText, new_string: one.newText }),
          ),
  })
}

const mcpPart = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, '_')

/** `mcp__server__tool`, as Claude Code names them. */
function mcpName(args: JsonObject): string {
  const server = firstString(args, 'providerIdentifier', 'serverIdentifier')
  const whole = firstString(args, 'name') ?? 'tool'
  const prefix = server === undefined ? '' : `${server}-`
  const tool =
    firstString(args, 'toolName') ??
    (prefix !== '' && whole.startsWith(prefix) ? whole.slice(prefix.length) : whole)
  return `mcp__${mcpPart(server ?? 'unknown')}__${mcpPart(tool)}`
}

const outputMode = (args: JsonObject): string | undefined => firstString(args, 'outputMode')

export const ROWS: Readonly<Record<string, ToolRow>> = {
  // Source: recorded.
  shell: {
    name: 'Bash',
    input: (args) =>
      fields({
        command: args.command,
        description: firstString(args, 'description'),
        timeout: numberAt(args, 'timeout'),
        run_in_background: booleanAt(args, 'isBackground') === true ? true : undefined,
        working_directory: firstString(args, 'workingDirectory'),
      }),
    title: title('command'),
    success: say.shell,
  },
  // Source: recorded.
  read: {
    name: 'Read',
    input: (args) => fields({ file_path: args.path, offset: args.offset, limit: args.limit }),
    title: title('path'),
    success: say.read,
  },
  // Source: recorded; the patch and replace forms: schema.
  edit: { name: 'Edit', input: edit, title: title('path'), success: say.edit },
  // Source: documented, older builds.
  write: {
    name: 'Write',
    input: (args) => fields({ file_path: args.path, content: args.fileText }),
    title: title('path'),
    success: say.write,
  },
  // Source: recorded.
  delete: {
    name: 'Delete',
    input: (args) => fields({ file_path: args.path }),
    title: title('path'),
    success: (success) => `Deleted ${firstString(success, 'path', 'deletedFile') ?? 'the file'}`,
  },
  // Source: recorded.
  glob: {
    name: 'Glob',
    input: (args) => fields({ pattern: args.globPattern, path: args.targetDirectory }),
    title: title('globPattern'),
    success: say.glob,
  },
  // Source: recorded.
  grep: {
    name: 'Grep',
    input: (args) =>
      fields({
        pattern: args.pattern,
        path: args.path,
        glob: args.glob,
        output_mode: outputMode(args),
        '-B': args.contextBefore,
        '-A': args.contextAfter,
        '-C': args.context,
        '-i': args.caseInsensitive,
        type: args.type,
        head_limit: args.headLimit,
        multiline: args.multiline,
      }),
    title: title('pattern'),
    success: say.grep,
  },
  // Source: recorded.
  ls: {
    name: 'LS',
    input: (args) => fields({ path: args.path, ignore: args.ignore }),
    title: title('path'),
    success: say.ls,
  },
  // Source: recorded.
  readLints: {
    name: 'ReadLints',
    input: (args) => fields({ paths: args.paths }),
    title: (args) => strings(args, 'paths').join(', '),
    success: say.lints,
  },
  // Source: recorded.
  updateTodos: { name: 'TodoWrite', input: todos, title: () => '', success: say.todos },
  // Source: schema.
  readTodos: { name: 'TodoRead', input: plainInput, title: () => '', success: say.todos },
  // Source: recorded.
  task: {
    name: 'Task',
    input: (args) =>
      fields({
        description: args.description,
        prompt: args.prompt,
        subagent_type: subagentType(args),
        model: firstString(args, 'model'),
      }),
    title: title('description'),
    success: say.task,
  },
  // Source: recorded.
  mcp: {
    name: mcpName,
    input: (args) => asJson(objectAt(args, 'args') ?? {}),
    title: (args) => title(...TITLE_KEYS)(objectAt(args, 'args') ?? {}),
    success: say.mcp,
  },
  // Source: recorded. A look-up of tool schemas before the first MCP call.
  getMcpTools: {
    name: 'ToolSearch',
    input: (args) =>
      fields({
        query: firstString(args, 'pattern', 'toolName') ?? '',
        server: args.server,
      }),
    title: title('pattern', 'toolName', 'server'),
    success: say.toolSearch,
  },
  // Source: recorded.
  listMcpResources: {
    name: 'ListMcpResourcesTool',
    input: (args) => fields({ server: args.server }),
    title: title('server'),
    success: say.resources,
  },
  // Source: schema.
  readMcpResource: {
    name: 'ReadMcpResourceTool',
    input: (args) => fields({ server: args.server, uri: args.uri }),
    title: title('uri'),
    success: say.generic,
  },
  // Source: schema.
  mcpAuth: genericRow('McpAuth'),
  // Source: recorded.
  semSearch: {
    name: 'SemanticSearch',
    input: (args) => fields({ query: args.query, target_directories: args.targetDirectories }),
    title: title('query'),
    success: say.semSearch,
  },
  // Source: recorded (call), schema (result).
  webSearch: {
    name: 'WebSearch',
    input: (args) => fields({ query: args.searchTerm }),
    title: title('searchTerm'),
    success: say.webSearch,
  },
  // Source: recorded.
  webFetch: {
    name: 'WebFetch',
    input: (args) => fields({ url: args.url }),
    title: title('url'),
    success: say.webFetch,
  },
  // Source: schema.
  fetch: {
    name: 'WebFetch',
    input: (args) => fields({ url: args.url }),
    title: title('url'),
    success: say.webFetch,
  },
  // Source: schema.
  createPlan: {
    name: 'CreatePlan',
    input: (args) => fields({ name: args.name, overview: args.overview, plan: args.plan }),
    title: title('name', 'overview'),
    success: () => 'Plan created',
  },
  // Source: schema.
  switchMode: {
    name: 'SwitchMode',
    input: (args) => fields({ mode: args.targetModeId, explanation: args.explanation }),
    title: title('targetModeId'),
    success: (success) => `Switched to mode ${firstString(success, 'toModeId') ?? 'unknown'}`,
  },
  // Source: schema; rejections recorded.
  askQuestion: {
    name: 'AskUserQuestion',
    input: (args) =>
      fields({
        title: firstString(args, 'title'),
        questions: objects(args, 'questions').map((question) =>
          fields({
            question: question.prompt,
            multiSelect: question.allowMultiple,
            options: objects(question, 'options').map((option) => fields({ label: option.label })),
          }),
        ),
      }),
    title: title('title'),
    success: say.answers,
  },
  // Source: schema.
  generateImage: {
    name: 'GenerateImage',
    input: (args) => fields({ description: args.description, file_path: args.filePath }),
    title: title('filePath', 'description'),
    success: (success) => `Image written to ${firstString(success, 'filePath') ?? 'a file'}`,
  },
  // Source: schema.
  writeShellStdin: {
    name: 'BashInput',
    input: (args) => fields({ shell_id: args.shellId, input: args.chars }),
    title: title('chars'),
    success: say.generic,
  },
  // Source: named by the CLI's own allow list; shapes unknown, shown as they come.
  await: genericRow('Await'),
  applyAgentDiff: genericRow('ApplyAgentDiff'),
  reflect: genericRow('Reflect'),
  recordScreen: genericRow('RecordScreen'),
  computerUse: genericRow('ComputerUse'),
  reportBugfixResults: genericRow('ReportBugfixResults'),
  truncated: genericRow('Truncated'),
  blameByFilePath: genericRow('BlameByFilePath'),
  sendMessage: genericRow('SendMessage'),
  createAgent: genericRow('CreateAgent'),
}
