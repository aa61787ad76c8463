// A tool call of Cursor's own → what clients are told about it. Used by every backend; the rows are in tool-rows.ts. Pure.
import type { Json } from '../core/turn.ts'
import { isObject, type JsonObject, numberAt, objectAt, stringAt } from '../lib/json.ts'
import { genericRow, ROWS, type ToolRow } from './tool-rows.ts'
import { shell } from './tool-summaries.ts'
import { clip, firstString, objects, textsOfDiff } from './tool-values.ts'

const SUFFIX = 'ToolCall'

export interface ToolFace {
  readonly name: string
  readonly input: Json
  readonly title: string
}

export interface ToolOutcome {
  readonly outcome: string
  readonly isError: boolean
  readonly summary: string
  readonly exitCode?: number
}

/** The one key of a `tool_call` record that names its kind, by suffix: siblings come and go with the version. */
export function kindKey(record: JsonObject): string | undefined {
  for (const key in record) {
    if (key.length > SUFFIX.length && key.endsWith(SUFFIX) && isObject(record[key])) return key
  }
  return undefined
}

/** `readToolCall` → `read`. */
export const kindOf = (key: string): string => key.slice(0, -SUFFIX.length)

export const isKnownKind = (kind: string): boolean => Object.hasOwn(ROWS, kind)

/** `applyAgentDiff` or `apply_agent_diff` → `ApplyAgentDiff`; only letters, digits and `_`, at most 64. */
export function readableName(kind: string): string {
  const words = kind.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return name === '' ? 'Tool' : name.slice(0, 64)
}

const rowOf = (kind: string): ToolRow =>
  (isKnownKind(kind) ? ROWS[kind] : undefined) ?? genericRow(readableName(kind))

/** Goes to terminals: control characters are left out as well. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200)

/** How a call of this kind with these arguments is shown. Never throws, whatever the arguments hold. */
export function toolFace(kind: string, args: JsonObject): ToolFace {
  const row = rowOf(kind)
  return {
    name: typeof row.name === 'string' ? row.name : row.name(args),
    input: row.input(args),
    title: oneLine(row.title(args)),
  }
}

/** Source: protobuf definitions as shipped; success, failure, error and rejected recorded. */
const OUTCOMES: ReadonlySet<string> = new Set([
  'success',
  'failure',
  'error',
  'rejected',
  'timeout',
  'spawnError',
  'permissionDenied',
  'readPermissionDenied',
  'writePermissionDenied',
  'fileNotFound',
  'notFile',
  'fileBusy',
  'noSpace',
])

const WORDS: Readonly<Record<string, string>> = {
  failure: 'Failed',
  error: 'Error',
  rejected: 'Rejected',
  timeout: 'Timed out',
  spawnError: 'Could not be started',
  permissionDenied: 'Permission denied',
  readPermissionDenied: 'Permission to read denied',
  writePermissionDenied: 'Permission to write denied',
  fileNotFound: 'File not found',
  notFile: 'Not a file',
  fileBusy: 'The file is busy',
  noSpace: 'No space left on the device',
  unknown: 'Ended with an unknown outcome',
}

const REASON_KEYS = [
  'reason',
  'errorMessage',
  'error',
  'clientVisibleError',
  'modelVisibleError',
  'message',
  'abortReason',
]

function failureSummary(outcome: string, detail: JsonObject): string {
  if (outcome === 'failure' && ('exitCode' in detail || 'stdout' in detail)) return shell(detail)
  const limitMs = outcome === 'timeout' ? numberAt(detail, 'timeoutMs') : undefined
  const limit = limitMs === undefined ? '' : ` after ${limitMs / 1000} s`
  const words = `${WORDS[outcome] ?? outcome}${limit}`
  const reason = firstString(detail, ...REASON_KEYS) ?? firstString(detail, 'path')
  if (reason === undefined && outcome === 'rejected') return 'Rejected: nobody could approve it'
  return reason === undefined ? words : clip(`${words}: ${reason.trim()}`, 1_000)
}

/** How a call ended, from its `result`. Everything except a success without error marks is an error. */
export function toolOutcome(kind: string, result: JsonObject | undefined): ToolOutcome {
  let outcome = 'unknown'
  for (const key in result ?? {}) {
    if (OUTCOMES.has(key) && isObject(result?.[key])) {
      outcome = key
      break
    }
  }
  const detail = objectAt(result ?? {}, outcome) ?? {}
  const exitCode = numberAt(detail, 'exitCode')
  const code = exitCode === undefined ? {} : { exitCode }
  if (outcome !== 'success') {
    return { outcome, isError: true, summary: failureSummary(outcome, detail), ...code }
  }
  const isError = detail.isError === true || (exitCode ?? 0) !== 0
  return { outcome, isError, summary: rowOf(kind).success(detail), ...code }
}

/** Of a call whose end was never told. */
export const UNFINISHED = {
  isError: true,
  outcome: 'unfinished',
  summary: 'The run ended before this call did',
  durationMs: undefined,
} as const

/**
 * Arguments as only the result tells them: an edit's old and new text come from its diff, and a diff from `/dev/null`
 * means that the file was created. Undefined when the result adds nothing.
 */
export function inputFromResult(
  kind: string,
  args: JsonObject,
  result: JsonObject,
): Json | undefined {
  if (kind !== 'edit') return undefined
  const success = objectAt(result, 'success')
  const diff = success === undefined ? undefined : stringAt(success, 'diffString')
  if (success === undefined || diff === undefined) return undefined
  const path = stringAt(args, 'path') ?? stringAt(success, 'path') ?? ''
  if (diff.startsWith('--- /dev/null')) {
    const content = stringAt(success, 'afterFullFileContent') ?? stringAt(args, 'streamContent')
    return { file_path: path, old_string: '', new_string: content ?? '' }
  }
  const texts = textsOfDiff(diff)
  if (texts === undefined) return undefined
  return { file_path: path, old_string: texts.before, new_string: texts.after }
}

/** Public names of the tools a sub-agent used, those of its own sub-agents after it, in order. */
export function innerTools(result: JsonObject | undefined, depth = 0): string[] {
  const success = objectAt(result ?? {}, 'success')
  if (success === undefined || depth > 8) return []
  return objects(success, 'conversationSteps').flatMap((step) => {
    const record = objectAt(step, 'toolCall')
    const key = record === undefined ? undefined : kindKey(record)
    const call = record === undefined || key === undefined ? undefined : objectAt(record, key)
    if (key === undefined || call === undefined) return []
    const name = toolFace(kindOf(key), objectAt(call, 'args') ?? {}).name
    return [name, ...innerTools(objectAt(call, 'result'), depth + 1)]
  })
}
