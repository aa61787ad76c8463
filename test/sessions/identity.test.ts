import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Api, Message, ToolDefinition, Turn } from '../../src/core/turn.ts'
import {
  clientFacts,
  clientFolder,
  type Identity,
  type IdentityFacts,
  identify,
} from '../../src/sessions/identity.ts'
import { turnOf } from '../support/turn.ts'

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const OTHER = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const TOOL: ToolDefinition = { name: 'Read', description: 'Reads', parameters: { type: 'object' } }

const say = (role: Message['role'], ...texts: readonly string[]): Message => ({
  role,
  parts: texts.map((text) => ({ type: 'text', text })),
})

const turn = (messages: readonly Message[], more: Partial<Turn> = {}): Turn =>
  turnOf(messages, { tools: [TOOL], ...more })

const HELLO = turn([say('user', 'hello')])

function ask(
  headers: Readonly<Record<string, string>>,
  body: Partial<IdentityFacts['bodyIds']> = {},
  asked: Turn = HELLO,
  api: Api = 'messages',
): Identity {
  return identify({
    api,
    headers: new Headers(headers),
    bodyIds: { ...HELLO.bodyIds, ...body },
    turn: asked,
  })
}

describe('conversation id', () => {
  test.each<
    [string, Record<string, string>, Partial<IdentityFacts['bodyIds']>, Api, string | undefined]
  >([
    ['our own header', { 'x-cursor-session': 'mine', 'x-session-id': 'ses_1' }, {}, 'chat', 'mine'],
    ['Claude Code 2.1', { 'x-claude-code-session-id': UUID }, {}, 'messages', UUID],
    [
      'Claude Code 2.1, sub-agent',
      { 'x-claude-code-session-id': UUID, 'x-claude-code-agent-id': 'af6debc0fbe074c0e' },
      {},
      'messages',
      `${UUID}/af6debc0fbe074c0e`,
    ],
    [
      'Claude Code 2.1, body only',
      {},
      { userId: `{"device_id":"ab","account_uuid":"","session_id":"${UUID}"}` },
      'messages',
      UUID,
    ],
    [
      'Claude Code 1.0 and 2.0',
      {},
      { userId: `user_ab12_account__session_${UUID}` },
      'messages',
      UUID,
    ],
    ['another Messages client', {}, { userId: 'somebody' }, 'messages', 'somebody'],
    [
      'a JSON user id without a session',
      {},
      { userId: '{"device_id":"ab"}' },
      'messages',
      undefined,
    ],
    ['a broken JSON user id', {}, { userId: '{"device_id"' }, 'messages', '{"device_id"'],
    ['chat: user is a person', {}, { userId: 'somebody' }, 'chat', undefined],
    ['OpenCode', { 'x-session-id': 'ses_1', 'x-session-affinity': 'ses_1' }, {}, 'chat', 'ses_1'],
    [
      'Codex 0.171',
      { 'session-id': UUID, 'thread-id': OTHER },
      { promptCacheKey: UUID },
      'responses',
      OTHER,
    ],
    ['Codex 0.80', { session_id: UUID, conversation_id: UUID }, {}, 'chat', UUID],
    [
      'Codex 0.171, metadata only',
      { 'x-codex-turn-metadata': `{"session_id":"${UUID}","thread_id":"${OTHER}"}` },
      {},
      'responses',
      OTHER,
    ],
    ['Qwen Code', {}, { promptCacheKey: `qwen-code:${UUID}` }, 'responses', `qwen-code:${UUID}`],
    ['pi', { 'session-id': UUID, 'x-client-request-id': OTHER }, {}, 'responses', UUID],
    ['Kilo', { 'x-kilocode-taskid': 'task-1' }, {}, 'chat', 'task-1'],
    [
      'conversation in the body',
      {},
      { conversation: 'conv_1', promptCacheKey: 'k' },
      'responses',
      'conv_1',
    ],
    ['blank ids', { 'x-session-id': '  ' }, { promptCacheKey: ' ' }, 'chat', undefined],
    ['an id without end', { 'x-session-id': 'x'.repeat(600) }, {}, 'chat', undefined],
    ['nothing', {}, {}, 'chat', undefined],
  ])('%s', (_name, headers, body, api, expected) => {
    const identity = ask(headers, body, HELLO, api)
    expect(identity.conversation).toBe(expected)
    expect(identity.key === undefined).toBe(expected === undefined)
  })
})

describe('key', () => {
  const headers = { 'x-claude-code-session-id': UUID }
  const key = (asked: Turn, more: Readonly<Record<string, string>> = {}) =>
    ask({ ...headers, ...more }, {}, asked).key

  test('later turns of a conversation keep the key of its opening', () => {
    const later = turn([say('user', 'hello'), say('assistant', 'hi'), say('user', 'and now?')])
    expect(key(later)).toBe(key(HELLO))
  })

  test('system texts, reminders and interrupt notes do not change the key', () => {
    const dressed = turn([
      say('system', 'You are a tool.'),
      say('user', '<system-reminder>\nToday is Monday\n</system-reminder>\n'),
      say(
        'user',
        '[Request interrupted by user]',
        '<system-reminder>a</system-reminder>hello<system-reminder>b</system-reminder>',
      ),
    ])
    expect(key(dressed)).toBe(key(HELLO))
  })

  test('Codex: the environment item is not what the user said', () => {
    const items = turn([
      say('user', '<environment_context><cwd>/a</cwd></environment_context>'),
      say('user', 'hello'),
    ])
    expect(key(items)).toBe(key(HELLO))
  })

  test('another first text, another agent and another session each have a key of their own', () => {
    const keys = [
      key(HELLO),
      key(turn([say('user', 'hello!')])),
      key(HELLO, { 'x-claude-code-agent-id': 'a1' }),
      key(HELLO, { 'x-claude-code-agent-id': 'a2' }),
      ask({ 'x-claude-code-session-id': OTHER }).key,
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('worker forks with the same inherited history are told apart by their own instructions', () => {
    const fork = (task: string) =>
      turn([
        say('user', 'hello'),
        say('assistant', 'hi'),
        say('user', `<fork-boilerplate>You are a worker fork</fork-boilerplate> ${task}`),
      ])
    expect(key(fork('one'))).not.toBe(key(fork('two')))
    expect(key(fork('one'))).not.toBe(key(HELLO))
    const later = turn([...fork('one').messages, say('assistant', 'ok'), say('user', 'go on')])
    expect(key(later)).toBe(key(fork('one')))
  })

  test('an unclosed reminder is text like any other', () => {
    expect(key(turn([say('user', '<system-reminder> hello')]))).not.toBe(
      key(turn([say('user', '<system-reminder> other')])),
    )
  })

  test('any turn gets an identity, and equal turns equal ones', () => {
    const message = fc.record({
      role: fc.constantFrom('system', 'user', 'assistant'),
      parts: fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }), {
        maxLength: 3,
      }),
    })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.string(), (messages, userId) => {
        const first = ask({}, { userId }, turn(messages))
        expect(ask({}, { userId }, turn(structuredClone(messages)))).toEqual(first)
        expect(first.key ?? '').toMatch(/^([0-9a-f]{32})?$/)
      }),
    )
  })
})

describe('kind', () => {
  const bare = (text: string): Turn => turn([say('user', text)], { tools: [] })
  test.each<[string, Record<string, string>, Turn, Identity['kind']]>([
    ['a turn', {}, HELLO, 'main'],
    ['a chat without tools', {}, bare('hello'), 'main'],
    ['Claude Code, hint main', { 'x-claude-code-request-class': 'main' }, HELLO, 'main'],
    [
      'Claude Code, hint subagent',
      { 'x-claude-code-request-class': 'subagent' },
      HELLO,
      'subagent',
    ],
    [
      'Claude Code, hint compaction',
      { 'x-claude-code-request-class': 'compaction' },
      HELLO,
      'compaction',
    ],
    ['Claude Code, compaction header', { 'x-claude-code-compaction': 'auto' }, HELLO, 'compaction'],
    ['Claude Code, unknown hint', { 'x-claude-code-request-class': 'new' }, HELLO, 'main'],
    ['Claude Code, agent id', { 'x-claude-code-agent-id': 'a1' }, HELLO, 'subagent'],
    [
      'Claude Code, billing block',
      {},
      turn([
        say('system', 'x-anthropic-billing-header: cc_version=2.1.332.abc; cc_is_subagent=true;'),
        say('user', 'hello'),
      ]),
      'subagent',
    ],
    [
      'a user who writes about sub-agents',
      {},
      turn([say('user', 'x-anthropic-billing-header: cc_is_subagent=true;')]),
      'main',
    ],
    [
      'Claude Code without tools',
      { 'x-claude-code-session-id': UUID },
      bare('Is this ok?'),
      'other',
    ],
    ['Claude Code 2.0 warm-up', {}, bare('Warmup'), 'warmup'],
    ['a user who says Warmup with tools', {}, turn([say('user', 'Warmup')]), 'main'],
    ['a longer text', {}, bare('Warmup exercises for runners'), 'main'],
    [
      'OpenCode title',
      { 'x-session-id': 's' },
      bare('Generate a title for this conversation:\n'),
      'title',
    ],
    ['OpenCode sub-agent', { 'x-session-id': 's2', 'x-parent-session-id': 's' }, HELLO, 'subagent'],
    [
      'Claude Code compaction by its text',
      {},
      turn([
        say('user', 'hello'),
        say('assistant', 'hi'),
        say('user', 'Your task is to create a detailed summary of the conversation so far'),
      ]),
      'compaction',
    ],
    [
      'Codex compaction',
      { 'x-codex-turn-metadata': '{"request_kind":"compaction"}' },
      HELLO,
      'compaction',
    ],
    ['Codex turn', { 'x-codex-turn-metadata': '{"request_kind":"turn"}' }, HELLO, 'main'],
    ['Codex, broken metadata', { 'x-codex-turn-metadata': '{' }, HELLO, 'main'],
  ])('%s', (_name, headers, asked, kind) => {
    expect(ask(headers, {}, asked).kind).toBe(kind)
  })

  test('a request for a count is one, whatever it looks like', () => {
    const facts = { api: 'messages', bodyIds: HELLO.bodyIds, turn: HELLO } as const
    const headers = new Headers({ 'x-claude-code-request-class': 'main' })
    expect(identify({ ...facts, headers, counting: true }).kind).toBe('count')
  })
})

describe('clientFolder', () => {
  test.each<[string, readonly Message[], string | undefined]>([
    [
      'Claude Code 2.1.332: system text in the middle',
      [
        say('user', 'hello'),
        say(
          'system',
          '# Environment\n - Primary working directory: /home/u/my project\n - Platform: linux',
        ),
      ],
      '/home/u/my project',
    ],
    [
      'Claude Code 1.0 and OpenCode: env block',
      [say('system', 'Here is\n<env>\n  Working directory: /srv/app\n  Is git repo: Yes\n</env>')],
      '/srv/app',
    ],
    [
      'Codex',
      [
        say('user', '<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>'),
        say('user', 'hi'),
      ],
      '/srv/app',
    ],
    [
      'Codex on one line',
      [say('user', '<environment_context><cwd>/srv/app</cwd></environment_context>')],
      '/srv/app',
    ],
    [
      'Qwen',
      [say('user', "Context.\nI'm currently working in the directory: /srv/app\nMore")],
      '/srv/app',
    ],
    ['Cline', [say('system', '3. x\n4. Working Directory: /srv/app\n5. y')], '/srv/app'],
    ['pi 1.6', [say('system', 'text\n<cwd>\n/srv/app\n</cwd>')], '/srv/app'],
    ['pi 0.73', [say('system', 'text\nCurrent working directory: /srv/app')], '/srv/app'],
    [
      'Windows',
      [say('system', ' - Primary working directory: C:\\Users\\u\\app\r\n - Platform: win32')],
      'C:\\Users\\u\\app',
    ],
    [
      'the last one named counts',
      [
        say('system', 'Primary working directory: /a'),
        say('user', 'hi'),
        say('system', 'Primary working directory: /b'),
      ],
      '/b',
    ],
    ['a relative path is none', [say('system', 'Primary working directory: app')], undefined],
    ['a sentence is none', [say('system', 'The Primary working directory: /a is used')], undefined],
    ['outside of env', [say('system', 'Working directory: /a')], undefined],
    ['a user cannot name it', [say('user', 'Primary working directory: /a')], undefined],
    [
      'nor a later message quote it',
      [
        say('user', 'hi'),
        say('assistant', 'ok'),
        say('user', '<environment_context>\n<cwd>/a</cwd>\n</environment_context>'),
      ],
      undefined,
    ],
    ['nothing', [say('user', 'hi')], undefined],
  ])('%s', (_name, messages, expected) => {
    expect(clientFolder(turn(messages))).toBe(expected)
  })

  test('a huge text full of half markers takes no time to speak of', () => {
    const text = '<env> Working directory: \n'.repeat(100_000)
    const started = performance.now()
    expect(clientFolder(turn([say('system', text)]))).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

test('environment facts are read where the client states them, else undefined', () => {
  const facts = clientFacts(
    turn([
      say(
        'system',
        "<env>\nWorking directory: /srv/app\nPlatform: linux\nOS Version: Linux 6.1\nToday's date: 2026-11-30\n</env>",
      ),
    ]),
  )
  expect(facts).toEqual({
    folder: '/srv/app',
    platform: 'linux',
    osVersion: 'Linux 6.1',
    date: '2026-11-30',
  })
  expect(clientFacts(HELLO)).toEqual({
    folder: undefined,
    platform: undefined,
    osVersion: undefined,
    date: undefined,
  })
})
