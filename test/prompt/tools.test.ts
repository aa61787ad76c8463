import { expect, test } from 'vitest'
import type { Mode } from '../../src/core/job.ts'
import type { ToolChoice, Turn } from '../../src/core/turn.ts'
import { advertisedTools, demandedTool } from '../../src/prompt/tools.ts'
import { turnOf } from '../support/turn.ts'

const TOOLS = [{ name: 'Read', description: '', parameters: {} }]

const turn = (toolChoice: ToolChoice): Turn => turnOf([], { api: 'chat', tools: TOOLS, toolChoice })

test.each<[Mode, ToolChoice['kind'], number]>([
  ['agent', 'auto', 0],
  ['ask', 'auto', 0],
  ['plan', 'auto', 0],
  ['bridge', 'auto', 1],
  ['bridge', 'required', 1],
  ['bridge', 'none', 0],
])('mode %s with tool_choice %s offers %i tools', (mode, kind, count) => {
  const choice: ToolChoice = kind === 'named' ? { kind, name: 'Read' } : { kind }
  expect(advertisedTools(turn(choice), mode)).toHaveLength(count)
})

test.each<[ToolChoice, string | undefined]>([
  [{ kind: 'auto' }, undefined],
  [{ kind: 'none' }, undefined],
  [{ kind: 'required' }, 'a tool call'],
  [{ kind: 'named', name: 'Read' }, 'a call of the tool "Read"'],
])('tool_choice %j demands %s', (choice, expected) => {
  expect(demandedTool(turn(choice))).toBe(expected)
})
