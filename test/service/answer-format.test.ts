// Answers that must be JSON: what is passed on, what is asked for again, what fails.
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import type { Run } from '../../src/core/run.ts'
import type { AnswerFormat } from '../../src/core/turn.ts'
import { answerFormat } from '../../src/protocols/format.ts'
import { formattedRun } from '../../src/service/answer-format.ts'
import {
  clientTool,
  cursorTool,
  failure,
  finish,
  text,
  thinking,
  toolEnd,
} from '../protocols/streams.ts'
import { readRun, scriptedRun } from './scripted-run.ts'

const SCHEMA = {
  type: 'object',
  properties: { age: { type: 'integer' } },
  required: ['age'],
  additionalProperties: false,
}
const FORMAT = answerFormat({ type: 'json_schema', name: 'person', schema: SCHEMA }, ['f'])
const ANY = answerFormat({ type: 'json_object' }, ['f'])

async function heard(
  first: readonly AgentEvent[],
  second: readonly AgentEvent[] = [finish()],
  format: AnswerFormat | undefined = FORMAT,
) {
  const prompts: string[] = []
  const run: Run = formattedRun(scriptedRun(first), format, (prompt) => {
    prompts.push(prompt)
    return scriptedRun(second)
  })
  const events = await readRun(run)
  const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  return { events, said, prompts, last: events.at(-1), run }
}

test('a run whose text may be anything is the very run', () => {
  const run = scriptedRun([finish()])
  expect(formattedRun(run, undefined, () => run)).toBe(run)
})

describe('passed on in one piece', () => {
  test.each([
    ['as it is', ['{"ag', 'e": 3}'], '{"age": 3}'],
    ['without blanks around it', ['\n {"age":3}\n'], '{"age":3}'],
    ['out of a code fence', ['Here:\n```json\n{"age":3}\n```\nBye'], '{"age":3}'],
    ['from between words', ['It is {"age":3}. Bye'], '{"age":3}'],
  ])('%s', async (_name, deltas, expected) => {
    const { said, prompts, events, last } = await heard([
      thinking('hm'),
      ...deltas.map(text),
      finish(),
    ])
    expect(said).toBe(expected)
    expect(events.map(({ type }) => type)).toEqual(['thinking-delta', 'text-delta', 'finish'])
    expect(last).toMatchObject({ reason: 'stop' })
    expect(prompts).toEqual([])
  })
})

test('a wrong answer is given back once, with what is wrong and without the task', async () => {
  const { said, prompts, last } = await heard(
    [text('{"age":"old"}'), finish()],
    [text('{"age":7}'), finish()],
  )
  expect(said).toBe('{"age":7}')
  expect(last).toMatchObject({ type: 'finish', reason: 'stop', diverged: true })
  expect(prompts).toEqual([expect.stringContaining('{"age":"old"}')])
  expect(prompts[0]).toMatch(/What is wrong: age: .*"properties":\{"age"/s)
})

test.each([
  ['no JSON', 'I am seven.', FORMAT, /it is not JSON/],
  ['another field', '{"age":7,"name":"x"}', FORMAT, /name/],
  ['a list', '[1]', ANY, /not a JSON object/],
])('%s twice is a failure that says so', async (_name, answer, format, says) => {
  const wrong = [text(answer), finish()]
  const { said, last, prompts } = await heard(wrong, wrong, format)
  expect(said).toBe('')
  expect(prompts).toHaveLength(1)
  expect(last).toMatchObject({
    type: 'failure',
    code: 'agent-failed',
    message: expect.stringMatching(says),
  })
})

test('what is no answer is not checked: a cut one, a call, a failure', async () => {
  const cut = await heard([text('{"age"'), finish(undefined, 'length')])
  expect([cut.said, cut.prompts]).toEqual(['{"age"', []])
  const call = await heard([clientTool('c', 'X', {}), finish(undefined, 'tool-calls')])
  expect([call.last, call.prompts]).toMatchObject([{ type: 'finish' }, []])
  const broken = await heard([text('{'), failure('it broke')])
  expect(broken.last).toMatchObject({ message: 'it broke' })
  const again = await heard([text('x'), finish()], [failure('it broke')])
  expect(again.last).toMatchObject({ message: 'it broke' })
})

test('what the agent says between its tools is no answer', async () => {
  const tool = [cursorTool('t', 'Read', 'a'), toolEnd('t', 'success')] as const
  const last = await heard([text('I look {here}.'), ...tool, text('{"age":3}'), finish()])
  expect([last.said, last.prompts]).toEqual(['{"age":3}', []])
  const early = await heard([text('{"age":3}'), ...tool, text('Done.'), finish()])
  expect([early.said, early.prompts]).toEqual(['{"age":3}', []])
})

test('what is said before a call of the client goes out with it', async () => {
  const { events } = await heard([
    text('I ask.'),
    clientTool('c', 'X', {}),
    text('{"age":3}'),
    finish(),
  ])
  expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual([
    'I ask.',
    'tool-start',
    '{"age":3}',
    'finish',
  ])
})

test('any object will do where no schema is given', async () => {
  expect((await heard([text('{"a":[1]}'), finish()], [], ANY)).said).toBe('{"a":[1]}')
})

test('it has settled when the last run has, and a cancelled one is not asked again', async () => {
  const { run } = await heard([text('x'), finish()], [text('{"age":7}'), finish()])
  await run.settled
  const prompts: string[] = []
  const cancelled = formattedRun(scriptedRun([text('x'), finish()]), FORMAT, (prompt) => {
    prompts.push(prompt)
    return scriptedRun([finish()])
  })

  cancelled.cancel('client-gone')
  expect((await readRun(cancelled)).at(-1)).toMatchObject({ code: 'cancelled' })
  expect(prompts).toEqual([])
})

test.each([
  [{ type: 'json_schema', schema: { type: 'banana' } }, /f\.schema: .*cannot/],
  [{ type: 'json_schema' }, /f\.schema: expected an object/],
  [{ type: 'xml' }, /f\.type: /],
])('a form that cannot be checked is refused: %j', (format, says) => {
  expect(() => answerFormat(format, ['f'])).toThrow(says)
})
