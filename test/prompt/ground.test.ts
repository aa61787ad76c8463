// What Cursor is told of the client's machine, from the words that clients really use.
import { describe, expect, test } from 'vitest'
import type { Message, Turn } from '../../src/core/turn.ts'
import { groundOf, hostFactsOf } from '../../src/prompt/ground.ts'
import { renderPrompt } from '../../src/prompt/render.ts'
import { clientFacts } from '../../src/sessions/client-facts.ts'
import { turnOf } from '../support/turn.ts'

const message = (role: Message['role'], text: string): Message => ({
  role,
  parts: [{ type: 'text', text }],
})
const turn = (...messages: readonly Message[]): Turn => turnOf(messages, { api: 'chat', model: '' })

describe('the facts of', () => {
  test.each([
    [
      'Claude Code 2.1',
      message(
        'system',
        "# Environment\n - Primary working directory: /home/u/p\n   - Is a git repository: true\n - Platform: linux\n - Shell: zsh\n - OS Version: Linux 6.1\n\nToday's date is 2026-11-30.",
      ),
      { folder: '/home/u/p', git: 'true', platform: 'linux', shell: 'zsh', osVersion: 'Linux 6.1' },
    ],
    [
      'Claude Code 1.0',
      message(
        'system',
        "<env>\nWorking directory: /home/u/p\nIs directory a git repo: Yes\nPlatform: darwin\nOS Version: Darwin 24\nToday's date: 2026-11-30\n</env>",
      ),
      {
        folder: '/home/u/p',
        git: 'Yes',
        platform: 'darwin',
        osVersion: 'Darwin 24',
        date: '2026-11-30',
      },
    ],
    [
      'OpenCode',
      message(
        'system',
        "<env>\n  Working directory: /home/u/p\n  Is directory a git repo: no\n  Platform: linux\n  Today's date: Mon Nov 30 2026\n</env>",
      ),
      { folder: '/home/u/p', git: 'no', platform: 'linux', date: 'Mon Nov 30 2026' },
    ],
    [
      'Codex',
      message(
        'user',
        '<environment_context>\n  <cwd>/home/u/p</cwd>\n  <shell>bash</shell>\n  <current_date>2026-11-30</current_date>\n</environment_context>',
      ),
      { folder: '/home/u/p', shell: 'bash', date: '2026-11-30', platform: undefined },
    ],
    [
      'Qwen Code',
      message(
        'user',
        "This is the Qwen Code.\nToday's date is Monday.\nMy operating system is: linux\nI'm currently working in the directory: /home/u/p",
      ),
      { folder: '/home/u/p', platform: 'linux', date: 'Monday.' },
    ],
    [
      'a client that says nothing',
      message('user', 'hello'),
      { folder: undefined, platform: undefined, git: undefined, shell: undefined, date: undefined },
    ],
    [
      'a client with a relative root',
      message('system', 'Primary working directory: ../p'),
      { folder: undefined },
    ],
  ])('%s', (_client, said, facts) => {
    expect(clientFacts(turn(said))).toMatchObject(facts)
  })
})

const FACTS = {
  folder: '/home/u/p',
  facts: [['Platform', 'linux']],
  hasTools: true,
  demanded: undefined,
} as const

test('stand at head and tail, and nothing is guessed', () => {
  const { head, tail } = groundOf(FACTS)
  expect(head).toContain('/home/u/p')
  expect(head).toContain('Platform: linux')
  expect(tail).toContain('/home/u/p')
  const none = groundOf({ ...FACTS, folder: undefined, facts: [] })
  expect(`${none.head}${none.tail}`).not.toMatch(/Platform|working directory:/)
  expect(none.head).toContain('only absolute paths that stand in the conversation')
})

test('a demand stands at the very end, and more plainly the second time', () => {
  const demanded = 'a call of the tool "Edit"'
  expect(groundOf({ ...FACTS, demanded }).tail).toMatch(/insists on a call of the tool "Edit" now/)
  const again = groundOf({ ...FACTS, demanded, isReminder: true })
  expect(again.tail).toMatch(/ended your turn without .*Make the call now/)
})

test('without tools Cursor is told so', () => {
  expect(groundOf({ ...FACTS, hasTools: false }).head).toMatch(/no tools/)
})

describe('as one line', () => {
  test('the same facts in the same words', () => {
    const line = hostFactsOf(FACTS)
    expect(line).toBe("The user's working directory: /home/u/p; Platform: linux")
    for (const fact of line.split('; ')) expect(groundOf(FACTS).head.split('\n')).toContain(fact)
  })

  test('nothing where the client states nothing, or has no tools that could use it', () => {
    expect(hostFactsOf({ ...FACTS, folder: undefined, facts: [] })).toBe('')
    expect(hostFactsOf({ ...FACTS, hasTools: false })).toBe('')
    expect(hostFactsOf({ ...FACTS, folder: undefined })).toBe('Platform: linux')
  })

  test('bounded, without control characters, and never half a path', () => {
    const long = `/${'x'.repeat(4_000)}`
    expect(hostFactsOf({ ...FACTS, folder: long })).toBe('Platform: linux')
    const many = Array.from({ length: 50 }, (_one, at) => [`${at}`, 'v'.repeat(900)] as const)
    const line = hostFactsOf({ ...FACTS, facts: many })
    expect(line.length).toBeLessThanOrEqual(2_000)
    expect(line).toContain('/home/u/p; 0: vvv')
    const odd = 'a\u001b[31m\u0007b\tc\u0085d\u2028e'
    expect(hostFactsOf({ ...FACTS, facts: [['Shell', odd]] })).toMatch(/Shell: a \[31m b c d e$/)
  })
})

test('frames a single question and a whole conversation, whose beginnings stay equal', () => {
  const ground = { head: 'HEAD', tail: 'TAIL' }
  const render = (...messages: readonly Message[]): string =>
    renderPrompt(turn(...messages), { images: 'none', ground }).text
  const question = message('user', 'hello')
  expect(render(question)).toBe('HEAD\n\nhello\n\nTAIL')
  const system = message('system', 'be kind')
  const first = render(system, question)
  const second = render(system, question, message('assistant', 'hi'), message('user', 'more'))
  expect(first).toMatch(/HEAD.*be kind.*hello.*TAIL.*=== assistant/s)
  const shared = first.slice(0, first.indexOf('=== system ===\nTAIL'))
  expect(second.startsWith(shared)).toBe(true)
})
