// The answers of the demo agent without a script.
import { expect, test } from 'vitest'
import { type BuiltInFacts, builtIn, NOTICE } from '../../src/demo-agent/built-in.ts'
import { lastUserText } from '../../src/demo-agent/last-words.ts'
import { ASSISTANT, PREAMBLE, SYSTEM, USER } from '../../src/prompt/headings.ts'
import { linesOf, runAgent, STREAM, textOf } from './run-agent.ts'

const FACTS: BuiltInFacts = {
  prompt: 'What is a hash map?',
  modelId: 'auto',
  partial: true,
  earlierTurns: 0,
  refusedFlag: undefined,
  sessionId: 's',
  nowMs: 0,
  paceMs: 15,
  tools: [],
}

function answerTo(prompt: string): string {
  const steps = builtIn({ ...FACTS, prompt })
  return steps.map((step) => (typeof step.delta === 'string' ? step.delta : '')).join('')
}

const transcript = (system: string, ...users: readonly string[]): string =>
  `${PREAMBLE}${SYSTEM}\n${system}\n\n${users.map((text) => `${USER}\n${text}\n\n`).join('')}${ASSISTANT}\n`

const PROMPTS: readonly {
  readonly name: string
  readonly prompt: string
  readonly last: string
}[] = [
  { name: 'plain text', prompt: ' one\ntwo \n', last: 'one\ntwo' },
  {
    name: 'our transcript',
    prompt: transcript('You are x.', 'first', 'second\nline'),
    last: 'second\nline',
  },
  {
    name: 'a transcript that ends with a tool result',
    prompt: `${USER}\nask\n\n${ASSISTANT}\nHm\n\n=== tool call 1: read ===\na: b\n\n=== result of tool call 1: read ===\nzzz\n\n${ASSISTANT}\n`,
    last: 'ask',
  },
  {
    name: 'markdown headings',
    prompt: '# System\nbe kind\n\n## User\nhi there\n\n## Assistant\n',
    last: 'hi there',
  },
  { name: 'words with colons', prompt: 'User:\nhi\nAssistant:\nyes\nUser:\nagain', last: 'again' },
  {
    name: 'a heading in the middle of a sentence',
    prompt: 'the user: who is it',
    last: 'the user: who is it',
  },
  {
    name: 'a prompt that goes on in a session of mode bridge',
    prompt:
      'Your tools are those of the MCP server "client".\nPlatform: linux\n\nthanks\n\nRemember: only the tools of "client".',
    last: 'thanks',
  },
  {
    name: 'blocks that a client added',
    prompt: transcript(
      's',
      '<system-reminder>\nx\n</system-reminder>\nreal',
      '<environment_context>y</environment_context>',
    ),
    last: 'real',
  },
]

test.each(PROMPTS)('the last words are found in $name', ({ prompt, last }) => {
  expect(lastUserText(prompt)).toBe(last)
})

test('an ordinary answer says first that it is a demo, then quotes what was said', () => {
  const answer = answerTo(transcript('You are x.', 'old', 'What is a hash map?'))
  expect(answer.startsWith(`${NOTICE}\n\n`)).toBe(true)
  expect(answer).toContain('\n> What is a hash map?\n')
  expect(answer).not.toContain('old')
})

test.each([
  'Explain hash maps. Answer briefly.',
  'What does it say?',
  `${USER}\nGenerate a title for this conversation\n\n${ASSISTANT}\nMaps\n\n${USER}\nthanks\n\n${ASSISTANT}\n`,
])('an ordinary request stays ordinary: %j', (prompt) => {
  expect(answerTo(prompt).startsWith(NOTICE)).toBe(true)
})

const BARE: readonly { readonly prompt: string; readonly answer: string | RegExp }[] = [
  {
    prompt: transcript(
      'You are a title generator.',
      'Generate a title for this conversation:\nFix the login page please',
    ),
    answer: 'Fix the login page please',
  },
  {
    prompt: transcript('s', 'Generate a title for this conversation:', 'Fix it'),
    answer: 'Fix it',
  },
  {
    prompt: transcript(
      'Format your response as a JSON object with isNewTopic and title.',
      'Fix it',
    ),
    answer: '{"isNewTopic":true,"title":"Fix it"}',
  },
  { prompt: 'Reply with exactly: PONG', answer: 'PONG' },
  { prompt: 'Say "hello".', answer: 'hello' },
  { prompt: 'Which colour? Answer in one word.', answer: 'Demo' },
  { prompt: 'List three animals. Respond only with valid JSON.', answer: /^\{".*\}$/u },
  { prompt: 'Count from 1 to 5', answer: '1 2 3 4 5' },
  { prompt: 'Warmup', answer: 'Ready' },
]

test.each(BARE)('no notice where a bare answer is wanted: $prompt', ({ prompt, answer }) => {
  const text = answerTo(prompt)
  if (typeof answer === 'string') expect(text).toBe(answer)
  else expect(text).toMatch(answer)
})

test('with and without the partial flag the text is the same, thinking models think', async () => {
  const args = [...STREAM, '--model', 'claude-4.5-sonnet-thinking']
  const [partial, whole] = await Promise.all([
    runAgent({ args }),
    runAgent({ args: args.filter((flag) => flag !== '--stream-partial-output') }),
  ])
  const lines = linesOf(partial.stdout)
  const said = lines.filter((line) => line.type === 'assistant')
  const deltas = said.filter((line) => 'timestamp_ms' in line)
  expect(deltas.length).toBeGreaterThan(10)
  const text = deltas.map(textOf).join('')
  expect(textOf(said.at(-1) ?? {})).toBe(text)
  expect(said).toHaveLength(deltas.length + 1)
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: text })
  expect(lines.filter((line) => line.type === 'thinking').length).toBeGreaterThan(1)
  const others = linesOf(whole.stdout).filter((line) => line.type === 'assistant')
  expect(others.map(textOf)).toEqual([text])
  expect(others[0]).not.toHaveProperty('timestamp_ms')
})

test('its deltas keep the pace', async () => {
  const args = [...STREAM]
  const { stdout } = await runAgent({ args, env: { PACE_MS: '20' } })
  const deltas = linesOf(stdout).filter(
    (line) => line.type === 'assistant' && 'timestamp_ms' in line,
  )
  const times = deltas.map((line) => Number(line.timestamp_ms))
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0)
  // Timers may fire a millisecond early against the wall clock.
  expect(took).toBeGreaterThanOrEqual((deltas.length - 1) * 19)
})

test('a hidden flag that the server refuses fails after three rounds, without a result', async () => {
  const ended = await runAgent({ args: [...STREAM, '--exclude-workspace-context'] })
  const kinds = linesOf(ended.stdout).map((line) => [line.type, line.subtype].join('/'))
  const round = ['connection/reconnecting', 'retry/starting', 'connection/reconnected']
  expect(kinds).toEqual(['system/init', 'user/', ...round, ...round, ...round])
  expect(ended).toMatchObject({
    code: 1,
    stderr: "RetriableError: [invalid_argument] unknown option '--exclude-workspace-context'\n",
  })
})
