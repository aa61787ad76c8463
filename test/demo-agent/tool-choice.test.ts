// Which calls the demo makes of plain sentences, with the tool lists of real clients.
import { expect, test } from 'vitest'
import type { McpTool } from '../../src/demo-agent/mcp.ts'
import { callsFor } from '../../src/demo-agent/tool-choice.ts'
import { rootIn, wishesIn } from '../../src/demo-agent/wishes.ts'
import { arrayAt, isObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { recorded } from '../protocols/recorded.ts'

test.each([
  ['Read notes.txt', [[{ do: 'read', path: 'notes.txt' }]]],
  [
    'please read the file `my notes` and tell me what it says',
    [[{ do: 'read', path: 'my notes' }]],
  ],
  [
    'Read a.txt and read b/c.txt.',
    [
      [
        { do: 'read', path: 'a.txt' },
        { do: 'read', path: 'b/c.txt' },
      ],
    ],
  ],
  [
    'Read a.txt, then run `ls -la`',
    [[{ do: 'read', path: 'a.txt' }], [{ do: 'run', command: 'ls -la' }]],
  ],
  ['Run the command echo hi.', [[{ do: 'run', command: 'echo hi' }]]],
  ['Write "hello" to out.txt', [[{ do: 'write', path: 'out.txt', content: 'hello' }]]],
  ['Create out.txt with the text "x y"', [[{ do: 'write', path: 'out.txt', content: 'x y' }]]],
  [
    'Replace "old" with "new" in src/a.ts',
    [[{ do: 'edit', path: 'src/a.ts', old: 'old', new: 'new' }]],
  ],
  ['Edit `a b`: replace "old" with "new"', [[{ do: 'edit', path: 'a b', old: 'old', new: 'new' }]]],
  ['Search for "TODO"', [[{ do: 'search', pattern: 'TODO' }]]],
  ['Find all files matching *.ts', [[{ do: 'find', pattern: '*.ts' }]]],
  ['fetch https://example.com/x', [[{ do: 'fetch', url: 'https://example.com/x' }]]],
  ['Use a sub-agent to read notes.txt', [[{ do: 'delegate', prompt: 'read notes.txt' }]]],
  [
    '"Replace \\"old\\" with \\"new\\" in a.txt"',
    [[{ do: 'edit', path: 'a.txt', old: 'old', new: 'new' }]],
  ],
  ['What is a hash map?', []],
  ['I read a book about rivers yesterday', []],
  ['They belong to the program and run on the user’s machine, not where you were started.', []],
  ['Remember: only the tools of "client", which run on the machine, in /home/ada.', []],
  ['You can read files with cat, head or sed -n, search with grep and find.', []],
  ['Run in the folder', []],
  ['Could you please read a.txt?', [[{ do: 'read', path: 'a.txt' }]]],
  [
    'Use a subagent to read a.txt and run `ls`',
    [
      [
        { do: 'delegate', prompt: 'read a.txt' },
        { do: 'run', command: 'ls' },
      ],
    ],
  ],
])('%s', (text, wishes) => {
  expect(wishesIn(text)).toEqual(wishes)
})

test.each([
  [' - Primary working directory: /home/ada/app\n - Is a git repository: true', '/home/ada/app'],
  ['<cwd>/home/ada/app</cwd>', '/home/ada/app'],
  ['Working directory: /home/ada/app.', '/home/ada/app'],
  ['nothing of the kind', undefined],
])('the root is found in %j', (text, root) => {
  expect(rootIn(text)).toBe(root)
})

function toolsOf(name: string): McpTool[] {
  const { body } = recorded(name)
  return (arrayAt(body, 'tools') ?? []).filter(isObject).map((tool) => {
    const flat = objectAt(tool, 'function') ?? tool
    const inputSchema = objectAt(flat, 'input_schema') ?? objectAt(flat, 'parameters') ?? {}
    return { server: 'client', name: stringAt(flat, 'name') ?? '', description: '', inputSchema }
  })
}

const CLIENTS: readonly { client: string; read: object; run: object; edit: object }[] = [
  {
    client: 'claude-code-tool-loop #0',
    read: { name: 'Read', arguments: { file_path: '/r/a.txt' } },
    run: { name: 'Bash', arguments: { command: 'ls', description: 'Command of the demo' } },
    edit: {
      name: 'Edit',
      arguments: { file_path: '/r/a.txt', old_string: 'x', new_string: 'y' },
    },
  },
  {
    client: 'opencode-chat-tool-loop #1',
    read: { name: 'read', arguments: { filePath: '/r/a.txt' } },
    run: { name: 'bash', arguments: { command: 'ls' } },
    edit: { name: 'edit', arguments: { filePath: '/r/a.txt', oldString: 'x', newString: 'y' } },
  },
  {
    client: 'qwen-chat-tool-loop #0',
    read: { name: 'read_file', arguments: { file_path: '/r/a.txt' } },
    run: { name: 'run_shell_command', arguments: { command: 'ls' } },
    edit: { name: 'edit', arguments: { file_path: '/r/a.txt', old_string: 'x', new_string: 'y' } },
  },
  {
    client: 'pi-chat-tool-loop #0',
    read: { name: 'read', arguments: { path: '/r/a.txt' } },
    run: { name: 'bash', arguments: { command: 'ls' } },
    edit: {
      name: 'edit',
      arguments: { path: '/r/a.txt', edits: [{ oldText: 'x', newText: 'y' }] },
    },
  },
  {
    client: 'cline-chat-tool-loop #0',
    read: { name: 'read_files', arguments: { files: [{ path: '/r/a.txt' }] } },
    run: { name: 'run_commands', arguments: { commands: ['ls'] } },
    edit: { name: 'editor', arguments: { path: '/r/a.txt', old_text: 'x', new_text: 'y' } },
  },
]

test.each(CLIENTS)('$client: its own tools with its own argument names', (expected) => {
  const tools = toolsOf(expected.client)
  const calls = (text: string) =>
    wishesIn(text).flatMap((step) => step.flatMap((wish) => callsFor(wish, tools, '/r')))
  expect(calls('read a.txt')).toMatchObject([expected.read])
  expect(calls('run `ls`')).toMatchObject([expected.run])
  // What is edited was read before: some clients insist.
  expect(calls('replace "x" with "y" in a.txt')).toMatchObject([expected.read, expected.edit])
})

test.each([
  [
    'codex-0.80.0-responses #0',
    { name: 'shell', arguments: { command: ['bash', '-lc', "cat 'a.txt'"] } },
  ],
  ['codex-tool-loop #0', { name: 'exec_command', arguments: { cmd: "cat 'a.txt'" } }],
])('%s has no tool to read: its shell does', (client, call) => {
  const [[wish] = []] = wishesIn('read a.txt')
  if (wish === undefined) throw new Error('no wish')
  expect(callsFor(wish, toolsOf(client), undefined)).toMatchObject([call])
})

test('required arguments that mean nothing to it get something plain', () => {
  const inputSchema = {
    type: 'object',
    required: ['command', 'why', 'limit', 'kind', 'flag', 'more'],
    properties: {
      command: { type: 'string' },
      why: { type: 'string' },
      limit: { type: 'integer' },
      kind: { enum: ['a', 'b'] },
      flag: { type: 'boolean' },
      more: { type: 'array', items: { type: 'string' } },
      optional: { type: 'string' },
    },
  }
  const tool = { server: 'client', name: 'bash', description: '', inputSchema }
  expect(callsFor({ do: 'run', command: 'ls' }, [tool], undefined)).toEqual([
    {
      name: 'bash',
      arguments: { command: 'ls', why: 'demo', limit: 1, kind: 'a', flag: false, more: [] },
    },
  ])
})
