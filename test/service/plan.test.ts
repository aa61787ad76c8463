// Who runs the tools, and what is refused at once.
import { expect, test } from 'vitest'
import type { ToolChoice, ToolDefinition, Turn } from '../../src/core/turn.ts'
import { chooseMode, keyWithoutTools, plan } from '../../src/service/plan.ts'
import { turnOf } from '../support/turn.ts'

const READ: ToolDefinition = { name: 'Read', description: '', parameters: { type: 'object' } }

function turn(changes: Partial<Turn> = {}): Turn {
  return turnOf([], { api: 'chat', model: '', tools: [READ], ...changes })
}

const NONE: ToolChoice = { kind: 'none' }
test.each([
  {
    header: null,
    setting: 'auto',
    workspace: null,
    tools: [READ],
    choice: undefined,
    mode: 'bridge',
  },
  { header: null, setting: 'auto', workspace: null, tools: [], choice: undefined, mode: 'agent' },
  { header: null, setting: 'auto', workspace: null, tools: [READ], choice: NONE, mode: 'agent' },
  {
    header: null,
    setting: 'auto',
    workspace: '/p',
    tools: [READ],
    choice: undefined,
    mode: 'agent',
  },
  { header: '', setting: 'auto', workspace: '', tools: [READ], choice: undefined, mode: 'bridge' },
  {
    header: 'Bridge ',
    setting: 'agent',
    workspace: '/p',
    tools: [],
    choice: undefined,
    mode: 'bridge',
  },
  {
    header: 'agent',
    setting: 'bridge',
    workspace: null,
    tools: [READ],
    choice: undefined,
    mode: 'agent',
  },
  {
    header: 'auto',
    setting: 'agent',
    workspace: null,
    tools: [READ],
    choice: undefined,
    mode: 'bridge',
  },
  {
    header: null,
    setting: 'agent',
    workspace: null,
    tools: [READ],
    choice: undefined,
    mode: 'agent',
  },
  {
    header: null,
    setting: 'plan',
    workspace: '/p',
    tools: [READ],
    choice: undefined,
    mode: 'plan',
  },
  {
    header: 'ask',
    setting: 'auto',
    workspace: null,
    tools: [READ],
    choice: undefined,
    mode: 'ask',
  },
] as const)(
  'header $header, setting $setting, workspace $workspace, tools $tools.length: $mode',
  (row) => {
    const asked = turn({ tools: row.tools, ...(row.choice && { toolChoice: row.choice }) })
    const { header, setting, workspace: workspaceHeader } = row
    expect(chooseMode(asked, { header, setting, workspaceHeader })).toBe(row.mode)
  },
)

test('a mode that does not exist is refused', () => {
  const facts = { header: 'magic', setting: 'auto', workspaceHeader: null } as const
  expect(() => chooseMode(turn(), facts)).toThrow(/expected agent, bridge, ask or plan/)
})

const FACTS = {
  settings: { mode: 'auto', permissions: 'workspace', sandbox: 'default', approveMcps: false },
  backend: 'acp',
  binary: '/bin/agent',
  cliVersion: '1',
  promptVia: 'stdin',
  model: 'auto',
  workspace: undefined,
  mode: 'bridge',
  endpoint: 'http://127.0.0.1:1/mcp/',
} as const

test('mode bridge offers exactly the tools, and they are part of the profile', () => {
  const { profile } = plan(turn(), FACTS)
  expect(profile.offer).toEqual({ endpoint: FACTS.endpoint, tools: [READ] })
  const other = plan(turn({ tools: [READ, { ...READ, name: 'Edit' }] }), FACTS).profile
  expect(other.digest).not.toBe(profile.digest)
  expect(keyWithoutTools(other)).toBe(keyWithoutTools(profile))
  const elsewhere = plan(turn(), { ...FACTS, model: 'other' }).profile
  expect(keyWithoutTools(elsewhere)).not.toBe(keyWithoutTools(profile))
})

test.each([
  ['tool_choice none', turn({ toolChoice: NONE }), {}],
  ['no tools', turn({ tools: [] }), {}],
  ['a side request', turn(), { offersTools: false }],
])('nothing is offered: %s', (_name, asked, facts) => {
  const { profile } = plan(asked, { ...FACTS, ...facts })
  expect(profile).toMatchObject({ mode: 'bridge', digest: '' })
  expect(profile.offer).toBeUndefined()
})

const NAMED: ToolChoice = { kind: 'named', name: 'Edit' }
test.each([
  [
    'mode agent cannot serve a demanded call',
    turn({ toolChoice: { kind: 'required' } }),
    'agent',
    /mode agent.*mode bridge/,
  ],
  ['a named tool that is not there', turn({ toolChoice: NAMED }), 'bridge', /no tool of that name/],
  [
    'a demand without tools',
    turn({ tools: [], toolChoice: { kind: 'required' } }),
    'bridge',
    /no tools/,
  ],
] as const)('refused: %s', (_name, asked, mode, words) => {
  expect(() => plan(asked, { ...FACTS, mode })).toThrow(words)
})
