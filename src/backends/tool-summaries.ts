// Short plain text of what a successful call brought, per kind of tool. Pure; input is the `result.success` object.
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../lib/json.ts'
import {
  clip,
  count,
  firstString,
  hunksOf,
  list,
  num,
  objects,
  over,
  strings,
} from './tool-values.ts'

/** Output of a command, with its exit code when that is not zero. Also reads `result.failure`. */
export function shell(result: JsonObject): string {
  const output =
    firstString(result, 'interleavedOutput') ??
    `${stringAt(result, 'stdout') ?? ''}${stringAt(result, 'stderr') ?? ''}`
  const code = num(result, 'exitCode')
  const signal = firstString(result, 'signal')
  const ending = signal === undefined ? `Exit code ${code}` : `Killed by ${signal}`
  const body = clip(output.trimEnd())
  if (code === 0 && signal === undefined) return body === '' ? '(no output)' : body
  return over(ending, body)
}

export function read(result: JsonObject): string {
  if (result.isEmpty === true) return 'The file is empty'
  if (typeof result.data === 'string') return `Read ${count(num(result, 'fileSize'), 'byte')}`
  const lines = numberAt(result, 'totalLines')
  const range = objectAt(result, 'readRange')
  const total = lines === undefined ? '' : count(lines, 'line')
  if (range === undefined) return total === '' ? 'Read' : `Read ${total}`
  const [first, last] = [num(range, 'startLine'), num(range, 'endLine')]
  if (first <= 1 && (lines === undefined || last >= lines)) return `Read ${total}`
  return `Read lines ${first} to ${last}${lines === undefined ? '' : ` of ${lines}`}`
}

/** What changed: the call's arguments show the new text only, the old one is in this diff. */
export function edit(result: JsonObject): string {
  const message = firstString(result, 'message', 'resultForModel') ?? 'Edited'
  const changed = `+${num(result, 'linesAdded')} -${num(result, 'linesRemoved')} lines`
  const diff = stringAt(result, 'diffString') ?? ''
  const hunks = diff.startsWith('--- /dev/null') ? '' : hunksOf(diff)
  return over(`${clip(message, 400)} (${changed})`, clip(hunks, 1_000))
}

export function write(result: JsonObject): string {
  const lines = count(num(result, 'linesCreated'), 'line')
  return `Wrote ${lines} to ${firstString(result, 'path') ?? 'the file'}`
}

export function glob(result: JsonObject): string {
  const files = strings(result, 'files')
  const total = numberAt(result, 'totalFiles') ?? files.length
  return over(count(total, 'file'), list(files))
}

function grepMatches(content: JsonObject): string[] {
  return objects(content, 'matches').flatMap((file) =>
    objects(file, 'matches')
      .filter((match) => match.isContextLine !== true)
      .map(
        (match) =>
          `${stringAt(file, 'file') ?? ''}:${num(match, 'lineNumber')}: ${(stringAt(match, 'content') ?? '').slice(0, 200)}`,
      ),
  )
}

export function grep(result: JsonObject): string {
  const lines: string[] = []
  for (const root of Object.values(objectAt(result, 'workspaceResults') ?? {})) {
    if (!isObject(root)) continue
    const content = objectAt(root, 'content')
    const files = objectAt(root, 'files')
    const counts = objectAt(root, 'count')
    if (content !== undefined) lines.push(...grepMatches(content))
    if (files !== undefined) lines.push(...strings(files, 'files'))
    if (counts !== undefined) {
      const perFile = objects(counts, 'counts')
      lines.push(...perFile.map((one) => `${stringAt(one, 'file') ?? ''}: ${num(one, 'count')}`))
    }
  }
  const unit = stringAt(result, 'outputMode') === 'content' ? 'match' : 'result'
  return over(count(lines.length, unit, unit === 'match' ? 'matches' : 'results'), list(lines))
}

export function ls(result: JsonObject): string {
  const root = objectAt(result, 'directoryTreeRoot') ?? {}
  const folders = objects(root, 'childrenDirs').map((folder) => {
    const path = stringAt(folder, 'absPath') ?? ''
    return `${path.split(/[/\\]/).at(-1) ?? path}/`
  })
  const files = objects(root, 'childrenFiles').map((file) => stringAt(file, 'name') ?? '')
  return over(
    count(folders.length + files.length, 'entry', 'entries'),
    list([...folders, ...files]),
  )
}

export function lints(result: JsonObject): string {
  const problems = objects(result, 'fileDiagnostics').flatMap((file) =>
    objects(file, 'diagnostics').map((problem) => {
      const line = num(objectAt(objectAt(problem, 'range') ?? {}, 'start') ?? {}, 'line')
      const severity = (stringAt(problem, 'severity') ?? '').replace('DIAGNOSTIC_SEVERITY_', '')
      return `${stringAt(file, 'path') ?? ''}:${line} ${severity.toLowerCase()} ${stringAt(problem, 'message') ?? ''}`
    }),
  )
  const total = numberAt(result, 'totalDiagnostics') ?? problems.length
  return over(total === 0 ? 'No problems' : count(total, 'problem'), list(problems))
}

const BOX: Readonly<Record<string, string>> = {
  completed: '[x]',
  in_progress: '[~]',
  cancelled: '[-]',
}

export function todos(result: JsonObject): string {
  const lines = objects(result, 'todos').map((todo) => {
    const status = (stringAt(todo, 'status') ?? '').replace('TODO_STATUS_', '').toLowerCase()
    return `${BOX[status] ?? '[ ]'} ${stringAt(todo, 'content') ?? ''}`
  })
  return over(count(lines.length, 'to-do'), list(lines))
}

/** The last thing a sub-agent said. */
export function task(result: JsonObject): string {
  const texts = objects(result, 'conversationSteps').flatMap(
    (step) => firstString(objectAt(step, 'assistantMessage') ?? {}, 'text') ?? [],
  )
  if (result.isBackground === true && texts.length === 0) return 'Started in the background'
  return clip(texts.at(-1) ?? 'Done')
}

export function mcp(result: JsonObject): string {
  const parts = objects(result, 'content').map((part) => {
    const text = firstString(objectAt(part, 'text') ?? part, 'text')
    return text ?? (objectAt(part, 'image') === undefined ? '[content]' : '[image]')
  })
  return parts.length === 0 ? '(no output)' : clip(parts.join('\n'))
}

export function toolSearch(result: JsonObject): string {
  return clip(firstString(result, 'content') ?? 'Done', 1_000)
}

export function resources(result: JsonObject): string {
  const lines = objects(result, 'resources').map((one) => firstString(one, 'uri', 'name') ?? '')
  return over(count(lines.length, 'resource'), list(lines))
}

export function semSearch(result: JsonObject): string {
  const found = stringAt(result, 'results') ?? ''
  const places = [
    ...found.matchAll(/<search_result path="?([^\s">]+)"?(?:[^>]*startLine="?(\d+))?/g),
  ]
  const lines = places.map(([, path, line]) => (line === undefined ? `${path}` : `${path}:${line}`))
  const total = lines.length > 0 ? lines.length : (arrayAt(result, 'codeResults')?.length ?? 0)
  return over(count(total, 'result'), list(lines))
}

export function webSearch(result: JsonObject): string {
  const lines = objects(result, 'references').map(
    (one) => `${stringAt(one, 'title') ?? ''} ${stringAt(one, 'url') ?? ''}`,
  )
  return over(count(lines.length, 'result'), list(lines))
}

export function webFetch(result: JsonObject): string {
  const text = firstString(result, 'markdown', 'content') ?? ''
  const status = numberAt(result, 'statusCode')
  const heading = `Fetched ${count(text.length, 'character')}`
  return over(status === undefined ? heading : `${heading}, status ${status}`, clip(text, 500))
}

export function answers(result: JsonObject): string {
  const lines = objects(result, 'answers').map(
    (one) => firstString(one, 'freeformText') ?? strings(one, 'selectedOptionIds').join(', '),
  )
  return over('Answered', list(lines))
}

/** Any text the result holds, else just that it is done. */
export function generic(result: JsonObject): string {
  const text = firstString(result, 'message', 'content', 'text', 'output', 'result', 'results')
  return text === undefined ? 'Done' : clip(text, 1_000)
}
