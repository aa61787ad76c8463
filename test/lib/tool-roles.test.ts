// Which tool of a client does what: by name, by description, and who stands in.
import { expect, test } from 'vitest'
import { arrayAt, isObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { toolFor, toolOfRole } from '../../src/lib/tool-roles.ts'
import { recorded } from '../protocols/recorded.ts'

function toolsOf(name: string): { name: string; description: string }[] {
  return (arrayAt(recorded(name).body, 'tools') ?? []).filter(isObject).map((tool) => ({
    name: stringAt(objectAt(tool, 'function') ?? tool, 'name') ?? '',
    description: '',
  }))
}

const ROLES = ['read', 'edit', 'write', 'shell', 'glob', 'grep', 'fetch'] as const

test.each([
  [
    'claude-code-2.0.76-tool-loop #0',
    ['Read', 'Edit', 'Write', 'Bash', 'Glob', 'Grep', 'WebFetch'],
  ],
  ['claude-code-tool-loop #0', ['Read', 'Edit', 'Write', 'Bash', 'Bash', 'Bash', 'Bash']],
  ['opencode-chat-tool-loop #1', ['read', 'edit', 'write', 'bash', 'glob', 'grep', 'webfetch']],
  ['pi-chat-tool-loop #0', ['read', 'edit', 'write', 'bash', 'bash', 'bash', 'bash']],
  ['codex-tool-loop #0', Array.from({ length: 7 }, () => 'exec_command')],
  [
    'cline-chat-tool-loop #0',
    [
      'read_files',
      'editor',
      'editor',
      'run_commands',
      'run_commands',
      'search_codebase',
      'fetch_web_content',
    ],
  ],
])('%s', (client, expected) => {
  const tools = toolsOf(client)
  expect(ROLES.map((role) => toolFor(role, tools)?.name)).toEqual(expected)
})

test('a tool of an MCP server of the client counts by its own name', () => {
  const tools = [{ name: 'mcp__files__read_file', description: '' }]
  expect(toolOfRole('read', tools)?.name).toBe('mcp__files__read_file')
})

test('where the name says nothing the description does, and only its beginning', () => {
  const tools = [
    { name: 'x1', description: `${'-'.repeat(400)} Reads a file` },
    { name: 'x2', description: 'Reads the contents of a file at a path.' },
    { name: 'x3', description: 'Executes a shell command.' },
  ]
  expect(toolOfRole('read', tools)?.name).toBe('x2')
  expect(toolOfRole('shell', tools)?.name).toBe('x3')
  expect(toolOfRole('fetch', tools)).toBeUndefined()
})

test('no tool, no advice', () => {
  expect(toolFor('read', [])).toBeUndefined()
  expect(toolFor('read', [{ name: 'weather', description: 'Tells the weather' }])).toBeUndefined()
})
