import { describe, expect, test } from 'vitest'
import { permissionsOf, replyTo } from '../../../src/backends/acp/permissions.ts'
import type { Permissions } from '../../../src/core/job.ts'

const option = (optionId: string, kind: string) => ({ optionId, name: kind, kind })
const DASHED = [
  option('allow-once', 'allow_once'),
  option('allow-always', 'allow_always'),
  option('reject-once', 'reject_once'),
]
const ask = (toolCall: object, permissions: Permissions, options: readonly unknown[] = DASHED) =>
  replyTo(
    'session/request_permission',
    { sessionId: 's', toolCall, options },
    { permissions, cwd: '/home/u/project' },
  )
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })

const EDIT = { kind: 'edit', locations: [{ path: '/home/u/project/a.ts' }] }
const OUTSIDE = { kind: 'edit', content: [{ type: 'diff', path: '/home/u/.bashrc' }] }
const SHELL = { kind: 'execute', rawInput: { command: 'ls' } }
const MCP = { kind: 'other', title: 'MCP: click' }

describe('permission questions', () => {
  test.each<[string, object, Permissions, string]>([
    ['a shell command with full', SHELL, 'full', 'allow-once'],
    ['an MCP call with full', MCP, 'full', 'allow-once'],
    ['an edit in the workspace', EDIT, 'workspace', 'allow-once'],
    [
      'an edit of a relative path',
      { kind: 'edit', rawInput: { path: 'a' } },
      'workspace',
      'allow-once',
    ],
    ['an edit outside the workspace', OUTSIDE, 'workspace', 'reject-once'],
    [
      'an edit that climbs out',
      { kind: 'edit', rawInput: { path: '../a' } },
      'workspace',
      'reject-once',
    ],
    ['a shell command in the workspace', SHELL, 'workspace', 'reject-once'],
    ['an MCP call in the workspace', MCP, 'workspace', 'reject-once'],
    ['a call without a kind', {}, 'workspace', 'reject-once'],
    ['an edit read-only', EDIT, 'read-only', 'reject-once'],
    ['a search read-only', { kind: 'search' }, 'read-only', 'allow-once'],
  ])('%s', (_what, toolCall, permissions, optionId) => {
    expect(ask(toolCall, permissions)).toEqual(selected(optionId))
  })

  test('never "always", whatever is offered', () => {
    const always = [option('allow-always', 'allow_always')]
    expect(ask(SHELL, 'full', always)).toEqual({ outcome: { outcome: 'cancelled' } })
  })

  test('ids without kinds, in either spelling', () => {
    expect(ask(SHELL, 'full', [{ optionId: 'allow_once' }])).toEqual(selected('allow_once'))
  })

  test('a session that is not running gets nothing allowed', () => {
    const room = { permissions: 'full', cwd: undefined } as const
    const reply = replyTo('session/request_permission', { toolCall: EDIT, options: DASHED }, room)
    expect(reply).toEqual(selected('reject-once'))
  })

  test('a read-only mode stays one', () => {
    expect(permissionsOf({ mode: 'plan', permissions: 'full' })).toBe('read-only')
  })
})

test('requests of Cursor are answered, unknown ones are not ours', () => {
  const room = { permissions: 'workspace', cwd: '/' } as const
  expect(replyTo('cursor/ask_question', {}, room)).toMatchObject({
    outcome: { outcome: 'skipped' },
  })
  expect(replyTo('cursor/create_plan', {}, room)).toEqual({ outcome: { outcome: 'accepted' } })
  expect(replyTo('fs/read_text_file', {}, room)).toBeUndefined()
})
