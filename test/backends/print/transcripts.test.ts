// Golden expectations for every sample stream.
import { describe, expect, test } from 'vitest'
import type { EndFacts } from '../../../src/backends/print/said.ts'
import { play, transcript } from './replay.ts'

const exit = (code: number, stderrTail = ''): EndFacts => ({
  exit: { code, signal: null },
  stderrTail,
})

interface Expected {
  readonly name: string
  readonly end?: EndFacts
  readonly text: string
  /** Public name and outcome of each call, in order of its end. */
  readonly tools?: readonly string[]
  readonly thinking?: string
  readonly terminal: object
}

const usage = (input: number, output: number, cacheRead: number, cacheWrite = 0): object => ({
  type: 'finish',
  reason: 'stop',
  cursorUsage: { input, output, cacheRead, cacheWrite },
})

const EXPECTED: readonly Expected[] = [
  {
    name: '01-plain-text-partial',
    text: 'A hash map stores key–value pairs in an array of buckets, choosing the bucket by hashing the key. Look-ups, inserts and deletes take constant time on average because only one small bucket is searched.',
    terminal: usage(8841, 52, 6144),
  },
  {
    name: '02-thinking-text-nopartial',
    text: '391',
    thinking:
      'The user wants the product of 17 and 23. 17 times 20 is 340, 17 times 3 is 51, so the total is 391.',
    terminal: usage(10528, 41, 5888),
  },
  {
    name: '03-read-edit-lint-partial',
    text: "I'll read `src/math.ts` first.The temporary variable can go; I'll inline it.Done. `add` now returns the sum directly:\n\n- removed the temporary `result`\n- behaviour and signature are unchanged\n\nThe linter reports no problems.",
    tools: ['Read success', 'Edit success', 'ReadLints success'],
    terminal: usage(12077, 236, 41216),
  },
  {
    name: '04-shell-success-and-failure',
    text: "I'll run both commands.The last commit is `4f1c2ab Add demo page`. The tests **fail** with exit code 1: `expected 5, got 6`.",
    tools: ['Bash success', 'Bash failure'],
    terminal: usage(11204, 148, 22016),
  },
  {
    name: '05-parallel-tasks',
    text: 'Starting three reviewers in parallel.Summary of the three reviews:\n\n1. **Naming**: `tmp2`, `doIt`\n2. **Errors**: `load()` swallows errors; no time-out\n3. **Tests**: no failure cases',
    tools: ['Task success', 'Task success', 'Task success'],
    terminal: usage(13320, 301, 50432),
  },
  {
    name: '06-mcp-tool',
    text: 'I\'ll look up the notes tools.I found note 7, "Release checklist". Deleting it was rejected, so it is still there.',
    tools: ['ToolSearch success', 'mcp__notes__search success', 'mcp__notes__delete rejected'],
    terminal: usage(14125, 111, 28224),
  },
  {
    name: '07-todo',
    text: "I'll track the two steps.Both steps are done: `LICENSE` was added and the badge is in `README.md`.",
    tools: [
      'TodoWrite success',
      'Edit success',
      'TodoWrite success',
      'Edit success',
      'TodoWrite success',
    ],
    terminal: usage(9120, 388, 71168, 2048),
  },
  {
    name: '08-write-delete-old-build',
    text: 'Writing the file, then deleting the old ones.`notes.txt` is written and `old.txt` is deleted; `missing.txt` did not exist.',
    tools: ['Write success', 'Delete success', 'Delete error'],
    terminal: { type: 'finish', reason: 'stop', cursorUsage: undefined },
  },
  {
    name: '09-error-exit-reconnect',
    end: exit(1, 'RetriableError: [unavailable] Error\n'),
    text: '',
    terminal: { type: 'failure', code: 'cursor-unreachable', again: 'same' },
  },
  {
    name: '10-truncated-no-result',
    end: exit(137),
    text: "I'll run the build first.The build fails in `src/a.ts`. I'll",
    tools: ['Bash failure'],
    terminal: {
      type: 'failure',
      code: 'agent-failed',
      message: expect.stringContaining('SIGKILL'),
    },
  },
  {
    name: '11-rejections-and-queries',
    text: "I'll check both.The search found the release table, but running `node -v` was rejected, so I could not see the installed version.",
    tools: ['Bash rejected', 'WebSearch success'],
    terminal: usage(10110, 97, 19456),
  },
  {
    name: '12-error-inside-text',
    text: 'Reading the readme.',
    terminal: {
      type: 'failure',
      code: 'cursor-unreachable',
      message: expect.stringContaining('RetriableError: [unavailable]'),
    },
  },
  {
    name: '13-resume-replay-then-success',
    text: 'Merge sort, quicksort and heapsort.',
    terminal: usage(8840, 14, 6144),
  },
  {
    name: '14-open-tool-no-result',
    end: exit(143),
    text: 'Starting the dev server.',
    tools: ['ToolSearch success', 'Bash unfinished'],
    terminal: {
      type: 'failure',
      code: 'agent-failed',
      message: expect.stringContaining('SIGTERM'),
    },
  },
]

describe.each(EXPECTED)('$name', ({ name, end, text, tools = [], thinking, terminal }) => {
  const played = play(transcript(name), end)

  test('gives its text once and its terminal event', () => {
    expect(played.text).toBe(text)
    expect(played.terminal).toMatchObject(terminal)
    expect(played.unknown).toEqual([])
    if (thinking !== undefined) expect(played.thinking).toBe(thinking)
  })

  test('pairs every call with its end', () => {
    const names = new Map(
      played.events.flatMap((event) =>
        event.type === 'tool-start' ? [[event.callId, event.name] as const] : [],
      ),
    )
    const ends = played.events.flatMap((event) =>
      event.type === 'tool-end' ? `${names.get(event.callId)} ${event.outcome}` : [],
    )
    expect(ends).toEqual(tools)
    expect(names.size).toBe(tools.length)
    for (const id of names.keys()) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })
})

test('sub-agents finish out of order and keep their inner steps to themselves', () => {
  const { events } = play(transcript('05-parallel-tasks'))
  const starts = events.flatMap((event) => (event.type === 'tool-start' ? event.callId : []))
  const ends = events.flatMap((event) => (event.type === 'tool-end' ? event : []))
  expect(ends.map(({ callId }) => starts.indexOf(callId))).toEqual([1, 2, 0])
  expect(ends.map(({ inner }) => inner)).toEqual([undefined, ['Bash'], undefined])
})

test('a rejected call without arguments keeps those of its start', () => {
  const { events } = play(transcript('06-mcp-tool'))
  const start = events.find(
    (event) => event.type === 'tool-start' && event.name === 'mcp__notes__delete',
  )
  expect(start).toMatchObject({ input: { id: 7 }, kind: 'mcp', host: 'cursor' })
})

test('any cut of a stream leaves exactly one terminal event and no more text than was sent', () => {
  for (const { name, text } of EXPECTED) {
    const lines = transcript(name)
    for (let count = 0; count < lines.length; count += 3) {
      const torn = (lines[count] ?? '').slice(0, 40)
      const cut = play([...lines.slice(0, count), torn])
      expect(text.startsWith(cut.text)).toBe(true)
    }
  }
})
