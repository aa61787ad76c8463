// Every kind in the table: shown when it starts, when it ends well, fails or is rejected.
import { describe, expect, test } from 'vitest'
import {
  innerTools,
  inputFromResult,
  isKnownKind,
  kindKey,
  readableName,
  toolFace,
  toolOutcome,
} from '../../src/backends/cursor-tools.ts'
import { ROWS } from '../../src/backends/tool-rows.ts'
import type { JsonObject } from '../../src/lib/json.ts'

interface Case {
  readonly kind: string
  readonly args: JsonObject
  readonly name: string
  readonly input: object
  readonly title: string
  readonly success: JsonObject
  readonly summary: string
  readonly exitCode?: number
}

const CASES: readonly Case[] = [
  {
    kind: 'shell',
    args: {
      command: 'npm test',
      workingDirectory: '',
      timeout: 30000,
      toolCallId: 't',
      simpleCommands: ['npm'],
      isBackground: false,
      description: 'Run tests',
      conversationId: 'c',
    },
    name: 'Bash',
    input: { command: 'npm test', description: 'Run tests', timeout: 30000 },
    title: 'npm test',
    success: { exitCode: 0, signal: '', stdout: 'ok\n', stderr: '', interleavedOutput: 'ok\n' },
    summary: 'ok',
    exitCode: 0,
  },
  {
    kind: 'read',
    args: { path: '/a', offset: 5, limit: 10 },
    name: 'Read',
    input: { file_path: '/a', offset: 5, limit: 10 },
    title: '/a',
    success: { content: 'x', totalLines: 50, readRange: { startLine: 5, endLine: 14 } },
    summary: 'Read lines 5 to 14 of 50',
  },
  {
    kind: 'edit',
    args: { path: '/a', streamContent: 'new' },
    name: 'Edit',
    input: { file_path: '/a', new_string: 'new' },
    title: '/a',
    success: {
      path: '/a',
      linesAdded: 1,
      linesRemoved: 2,
      message: 'The file /a has been updated.',
    },
    summary: 'The file /a has been updated. (+1 -2 lines)',
  },
  {
    kind: 'write',
    args: { path: '/a', fileText: 'hello\n', toolCallId: 't' },
    name: 'Write',
    input: { file_path: '/a', content: 'hello\n' },
    title: '/a',
    success: { path: '/a', linesCreated: 1, fileSize: 6 },
    summary: 'Wrote 1 line to /a',
  },
  {
    kind: 'delete',
    args: { path: '/a', toolCallId: 't' },
    name: 'Delete',
    input: { file_path: '/a' },
    title: '/a',
    success: { path: '/a', deletedFile: 'a', fileSize: '12' },
    summary: 'Deleted /a',
  },
  {
    kind: 'glob',
    args: { targetDirectory: '/d', globPattern: '**/*.ts' },
    name: 'Glob',
    input: { pattern: '**/*.ts', path: '/d' },
    title: '**/*.ts',
    success: { files: ['a.ts', 'b.ts'], totalFiles: 2 },
    summary: '2 files\na.ts\nb.ts',
  },
  {
    kind: 'grep',
    args: { pattern: 'x', path: '/d', outputMode: 'content', contextBefore: 1, offset: 0 },
    name: 'Grep',
    input: { pattern: 'x', path: '/d', output_mode: 'content', '-B': 1 },
    title: 'x',
    success: {
      outputMode: 'content',
      workspaceResults: {
        '/d': {
          content: {
            matches: [
              {
                file: 'a.ts',
                matches: [
                  { lineNumber: 1, content: 'ctx', isContextLine: true },
                  { lineNumber: 2, content: 'x = 1' },
                ],
              },
            ],
          },
        },
      },
    },
    summary: '1 match\na.ts:2: x = 1',
  },
  {
    kind: 'ls',
    args: { path: '/d', ignore: [], toolCallId: 't' },
    name: 'LS',
    input: { path: '/d', ignore: [] },
    title: '/d',
    success: {
      directoryTreeRoot: {
        childrenDirs: [{ absPath: '/d/src' }],
        childrenFiles: [{ name: 'a.ts' }],
      },
    },
    summary: '2 entries\nsrc/\na.ts',
  },
  {
    kind: 'readLints',
    args: { paths: ['/a', '/b'] },
    name: 'ReadLints',
    input: { paths: ['/a', '/b'] },
    title: '/a, /b',
    success: {
      fileDiagnostics: [
        {
          path: '/a',
          diagnostics: [
            {
              severity: 'DIAGNOSTIC_SEVERITY_ERROR',
              range: { start: { line: 3, column: 1 } },
              message: 'bad',
            },
          ],
        },
      ],
      totalDiagnostics: 1,
    },
    summary: '1 problem\n/a:3 error bad',
  },
  {
    kind: 'updateTodos',
    args: {
      todos: [{ id: '1', content: 'Do it', status: 'TODO_STATUS_IN_PROGRESS' }],
      merge: true,
    },
    name: 'TodoWrite',
    input: { todos: [{ id: '1', content: 'Do it', status: 'in_progress' }], merge: true },
    title: '',
    success: { todos: [{ content: 'Do it', status: 'TODO_STATUS_COMPLETED' }], totalCount: 1 },
    summary: '1 to-do\n[x] Do it',
  },
  {
    kind: 'readTodos',
    args: { statusFilter: ['TODO_STATUS_PENDING'] },
    name: 'TodoRead',
    input: { statusFilter: ['TODO_STATUS_PENDING'] },
    title: '',
    success: { todos: [], totalCount: 0 },
    summary: '0 to-dos',
  },
  {
    kind: 'task',
    args: {
      description: 'Review',
      prompt: 'Look',
      subagentType: { custom: { name: 'critic' } },
      model: 'm',
      agentId: 'a',
      attachments: [],
    },
    name: 'Task',
    input: { description: 'Review', prompt: 'Look', subagent_type: 'critic', model: 'm' },
    title: 'Review',
    success: { conversationSteps: [{ assistantMessage: { text: 'Fine' } }], durationMs: '5' },
    summary: 'Fine',
  },
  {
    kind: 'mcp',
    args: {
      name: 'pw-click',
      args: { ref: 'e1' },
      toolCallId: 't',
      providerIdentifier: 'pw',
      toolName: 'click',
    },
    name: 'mcp__pw__click',
    input: { ref: 'e1' },
    title: '',
    success: { content: [{ text: { text: 'clicked' } }, { image: { data: '' } }], isError: false },
    summary: 'clicked\n[image]',
  },
  {
    kind: 'getMcpTools',
    args: { server: 'notes', pattern: 'search' },
    name: 'ToolSearch',
    input: { query: 'search', server: 'notes' },
    title: 'search',
    success: { content: '{"mode":"search"}' },
    summary: '{"mode":"search"}',
  },
  {
    kind: 'listMcpResources',
    args: { server: 'notes' },
    name: 'ListMcpResourcesTool',
    input: { server: 'notes' },
    title: 'notes',
    success: { resources: [{ uri: 'note://1', name: 'one' }] },
    summary: '1 resource\nnote://1',
  },
  {
    kind: 'readMcpResource',
    args: { server: 'notes', uri: 'note://1' },
    name: 'ReadMcpResourceTool',
    input: { server: 'notes', uri: 'note://1' },
    title: 'note://1',
    success: { content: 'text' },
    summary: 'text',
  },
  {
    kind: 'semSearch',
    args: { query: 'where', targetDirectories: ['src'], explanation: 'why' },
    name: 'SemanticSearch',
    input: { query: 'where', target_directories: ['src'] },
    title: 'where',
    success: { results: '<search_result path="a.ts" startLine="3" endLine="9">x</search_result>' },
    summary: '1 result\na.ts:3',
  },
  {
    kind: 'webSearch',
    args: { searchTerm: 'node lts', toolCallId: 't' },
    name: 'WebSearch',
    input: { query: 'node lts' },
    title: 'node lts',
    success: { references: [{ title: 'Node', url: 'https://example.com', chunk: 'x' }] },
    summary: '1 result\nNode https://example.com',
  },
  {
    kind: 'webFetch',
    args: { url: 'https://example.com', toolCallId: 't' },
    name: 'WebFetch',
    input: { url: 'https://example.com' },
    title: 'https://example.com',
    success: { url: 'https://example.com', markdown: '# Hi' },
    summary: 'Fetched 4 characters\n# Hi',
  },
  {
    kind: 'fetch',
    args: { url: 'https://example.com' },
    name: 'WebFetch',
    input: { url: 'https://example.com' },
    title: 'https://example.com',
    success: { content: 'Hi', statusCode: 200 },
    summary: 'Fetched 2 characters, status 200\nHi',
  },
  {
    kind: 'createPlan',
    args: { name: 'P', overview: 'o', plan: '1. x', todos: [], phases: [] },
    name: 'CreatePlan',
    input: { name: 'P', overview: 'o', plan: '1. x' },
    title: 'P',
    success: {},
    summary: 'Plan created',
  },
  {
    kind: 'switchMode',
    args: { targetModeId: 'plan', explanation: 'e', toolCallId: 't' },
    name: 'SwitchMode',
    input: { mode: 'plan', explanation: 'e' },
    title: 'plan',
    success: { fromModeId: 'agent', toModeId: 'plan' },
    summary: 'Switched to mode plan',
  },
  {
    kind: 'askQuestion',
    args: {
      title: 'Which?',
      questions: [{ id: 'q', prompt: 'A or B?', options: [{ id: 'a', label: 'A' }] }],
    },
    name: 'AskUserQuestion',
    input: { title: 'Which?', questions: [{ question: 'A or B?', options: [{ label: 'A' }] }] },
    title: 'Which?',
    success: { answers: [{ questionId: 'q', selectedOptionIds: ['a'] }] },
    summary: 'Answered\na',
  },
  {
    kind: 'generateImage',
    args: { description: 'a cat', filePath: 'cat.png' },
    name: 'GenerateImage',
    input: { description: 'a cat', file_path: 'cat.png' },
    title: 'cat.png',
    success: { filePath: 'cat.png', imageData: '' },
    summary: 'Image written to cat.png',
  },
  {
    kind: 'writeShellStdin',
    args: { shellId: 's1', chars: 'y\n' },
    name: 'BashInput',
    input: { shell_id: 's1', input: 'y\n' },
    title: 'y',
    success: {},
    summary: 'Done',
  },
]

describe.each(CASES)('$kind', ({ kind, args, name, input, title, success, summary, exitCode }) => {
  test('started', () => {
    expect(toolFace(kind, args)).toEqual({ name, input, title })
    expect(isKnownKind(kind)).toBe(true)
  })
  test('completed', () => {
    const ended = toolOutcome(kind, { success })
    expect(ended).toEqual({ outcome: 'success', isError: false, summary, exitCode })
  })
  test('failed', () => {
    const failed = toolOutcome(kind, { error: { error: 'went wrong' } })
    expect(failed).toEqual({ outcome: 'error', isError: true, summary: 'Error: went wrong' })
  })
  test('rejected', () => {
    const rejected = toolOutcome(kind, { rejected: { reason: 'not allowed ' } })
    expect(rejected).toEqual({
      outcome: 'rejected',
      isError: true,
      summary: 'Rejected: not allowed',
    })
  })
  test('without arguments and with an empty result', () => {
    expect(() => toolFace(kind, {})).not.toThrow()
    expect(() => toolOutcome(kind, { success: {} })).not.toThrow()
  })
})

test('every row is either in this table or shown as it comes', () => {
  const tested = new Set(CASES.map(({ kind }) => kind))
  const rest = Object.keys(ROWS).filter((kind) => !tested.has(kind))
  for (const kind of rest) {
    const face = toolFace(kind, { path: '/a', toolCallId: 't', requestId: 'r' })
    expect(face).toEqual({ name: readableName(kind), input: { path: '/a' }, title: '/a' })
  }
})

describe('outcomes', () => {
  test.each([
    [
      'a non-zero exit',
      { failure: { exitCode: 2, stdout: 'a', stderr: 'b' } },
      'failure',
      'Exit code 2\nab',
    ],
    ['a signal', { failure: { exitCode: 0, signal: 'SIGTERM' } }, 'failure', 'Killed by SIGTERM'],
    ['a timeout', { timeout: { timeoutMs: 1500 } }, 'timeout', 'Timed out after 1.5 s'],
    ['no such file', { fileNotFound: { path: '/a' } }, 'fileNotFound', 'File not found: /a'],
    [
      'a silent rejection',
      { rejected: { reason: '' } },
      'rejected',
      'Rejected: nobody could approve it',
    ],
    ['a new outcome', { exploded: { error: 'x' } }, 'unknown', 'Ended with an unknown outcome'],
    ['no result', undefined, 'unknown', 'Ended with an unknown outcome'],
  ])('%s is an error', (_name, result, outcome, summary) => {
    expect(toolOutcome('shell', result)).toMatchObject({ outcome, isError: true, summary })
  })

  test('an exit code is told as it was', () => {
    expect(toolOutcome('shell', { failure: { exitCode: 2 } }).exitCode).toBe(2)
    expect(toolOutcome('shell', { timeout: { timeoutMs: 5 } })).not.toHaveProperty('exitCode')
  })

  test('a success marked as an error is one', () => {
    expect(toolOutcome('mcp', { success: { content: [], isError: true } }).isError).toBe(true)
    expect(toolOutcome('shell', { success: { exitCode: 1 } }).isError).toBe(true)
  })

  test('siblings of the outcome are passed over', () => {
    const result = { planUri: 'x', sandboxPolicy: {}, success: {} }
    expect(toolOutcome('createPlan', result).outcome).toBe('success')
  })

  test('a long output keeps its head and its tail', () => {
    const interleavedOutput = `head${'.'.repeat(100_000)}tail`
    const { summary } = toolOutcome('shell', { success: { exitCode: 0, interleavedOutput } })
    expect(summary.length).toBeLessThan(2_200)
    expect(summary).toMatch(/^head[\s\S]*tail$/)
  })
})

describe('edits', () => {
  const edit = (diffString: string, more: object = {}): unknown =>
    inputFromResult(
      'edit',
      { path: '/a', streamContent: 'n' },
      { success: { diffString, ...more } },
    )

  test('old and new text come from the diff', () => {
    const diff =
      '--- a//a\n+++ b//a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n\\ No newline at end of file'
    expect(edit(diff)).toEqual({
      file_path: '/a',
      old_string: 'same\nold',
      new_string: 'same\nnew',
    })
  })
  test('a new file has no old text', () => {
    expect(
      edit('--- /dev/null\n+++ b//a\n@@ -0,0 +1 @@\n+x', { afterFullFileContent: 'x' }),
    ).toEqual({
      file_path: '/a',
      old_string: '',
      new_string: 'x',
    })
  })
  test('the outcome shows the diff, because the call shows the new text only', () => {
    const diffString = '--- a//a\n+++ b//a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n'
    const success = { message: 'Updated.', linesAdded: 1, linesRemoved: 1, diffString }
    expect(toolOutcome('edit', { success }).summary).toBe(
      'Updated. (+1 -1 lines)\n@@ -1,2 +1,2 @@\n same\n-old\n+new',
    )
    const created = { ...success, diffString: '--- /dev/null\n+++ b//a\n@@ -0,0 +1 @@\n+x' }
    expect(toolOutcome('edit', { success: created }).summary).toBe('Updated. (+1 -1 lines)')
  })
  test('without a diff nothing is added', () => {
    expect(edit('')).toBeUndefined()
    expect(inputFromResult('read', {}, {})).toBeUndefined()
  })
  test('the older forms carry both texts', () => {
    const strReplace = { oldText: 'a', newText: 'b', replaceAll: true }
    expect(toolFace('edit', { path: '/a', strReplace }).input).toEqual({
      file_path: '/a',
      old_string: 'a',
      new_string: 'b',
      replace_all: true,
    })
    const edits = [{ oldText: 'a', newText: 'b' }]
    expect(toolFace('edit', { path: '/a', multiStrReplace: { edits } }).input).toMatchObject({
      edits: [{ old_string: 'a', new_string: 'b' }],
    })
  })
})

test('tools inside a sub-agent are listed by public name, nested ones too', () => {
  const step = (kind: string, result: object = {}): object => ({
    toolCall: { toolCallId: 't', [kind]: { args: {}, result } },
  })
  const nested = { success: { conversationSteps: [step('grepToolCall')] } }
  const result = {
    success: { conversationSteps: [step('shellToolCall'), { x: 1 }, step('taskToolCall', nested)] },
  }
  expect(innerTools(result)).toEqual(['Bash', 'Task', 'Grep'])
  expect(innerTools(undefined)).toEqual([])
})

test.each([
  [{ providerIdentifier: 'my server', toolName: 'do.it' }, 'mcp__my_server__do_it'],
  [{ serverIdentifier: 's', name: 's-do-it' }, 'mcp__s__do-it'],
  [{ name: 'lonely' }, 'mcp__unknown__lonely'],
  [{}, 'mcp__unknown__tool'],
])('an MCP call %j is called %s', (args, name) => {
  expect(toolFace('mcp', args).name).toBe(name)
})

test('kinds are found by suffix and named readably', () => {
  expect(kindKey({ toolCallId: 'x', description: 'y', readToolCall: {} })).toBe('readToolCall')
  expect(kindKey({ toolCallId: 'x', ToolCall: {} })).toBeUndefined()
  expect(kindKey({ readToolCall: 'no object' })).toBeUndefined()
  expect(readableName('pi_read_file')).toBe('PiReadFile')
  expect(readableName('')).toBe('Tool')
  expect(isKnownKind('constructor')).toBe(false)
})

test('a title is one line without control characters', () => {
  expect(toolFace('shell', { command: ' a\n\tb\u0003\u001b[31mc ' }).title).toBe('a b [31mc')
})

test('arguments nested without end do not overflow the stack', () => {
  const nested: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  expect(() => toolFace('mcp', { args: { nested } })).not.toThrow()
})
