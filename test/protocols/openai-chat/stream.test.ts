import { expect, test } from 'vitest'
import { chatProtocol } from '../../../src/protocols/openai-chat/chat.ts'
import { dataOf } from '../../contract/reassemble.ts'
import { clientTool, cursorTool, finish, framesOf, started, text, toolEnd } from '../streams.ts'

const body = (fields: object = {}): object => ({
  stream: true,
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
})

test('without include_usage no chunk has usage or an empty choice list', () => {
  const frames = framesOf(chatProtocol, body(), [text('a'), finish()])
  for (const frame of frames.slice(0, -1)) {
    expect(dataOf(frame)).not.toHaveProperty('usage')
    expect(dataOf(frame).choices).toHaveLength(1)
  }
})

test('with include_usage one more chunk stands between the finish chunk and [DONE]', () => {
  const usage = { stream_options: { include_usage: true } }
  const frames = framesOf(chatProtocol, body(usage), [text('a'), finish()])
  expect(frames.at(-1)?.data).toBe('[DONE]')
  expect(frames.slice(-3, -1).map(dataOf)).toMatchObject([
    { choices: [{ finish_reason: 'stop', delta: {} }] },
    { choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } },
  ])
})

test('nothing is sent for an event that shows nothing, so the headers can wait', () => {
  const hidden = [started, { type: 'thinking-end' }, toolEnd('x', 'success'), text('')] as const
  expect(framesOf(chatProtocol, body(), hidden)).toEqual([])
})

test('a tool that Cursor runs opens the reply when it starts and is one line when it ends', () => {
  const steps = [cursorTool('t', 'Bash', 'npm  test\n'), toolEnd('t', 'failure', 61_000)]
  const deltas = framesOf(chatProtocol, body(), steps).map(dataOf)
  expect(deltas).toMatchObject([
    { choices: [{ delta: { role: 'assistant' } }] },
    { choices: [{ delta: { reasoning_content: '[Bash npm test: failure, 61.0 s]\n' } }] },
  ])
})

test.each([
  ['', undefined, '[Read: success]\n'],
  ['a', 12.4, '[Read a: success, 12 ms]\n'],
  ['x'.repeat(300), 0, `[Read ${'x'.repeat(200)}…: success, 0 ms]\n`],
])('a tool line for title %j and %s ms', (title, durationMs, line) => {
  const steps = [cursorTool('t', 'Read', title), toolEnd('t', 'success', durationMs)]
  const last = framesOf(chatProtocol, body(), steps).map(dataOf).at(-1)
  expect(last).toMatchObject({ choices: [{ delta: { reasoning_content: line } }] })
})

test('the first delta of each client call has index, id, type, name and whole JSON arguments', () => {
  const steps = [clientTool('c1', 'a', { x: [1, '"'] }), clientTool('c2', 'b', null)]
  const calls = framesOf(chatProtocol, body(), steps).slice(1).map(dataOf)
  expect(calls).toMatchObject([
    {
      choices: [
        {
          delta: {
            tool_calls: [
              {
                index: 0,
                id: 'c1',
                type: 'function',
                function: { name: 'a', arguments: '{"x":[1,"\\""]}' },
              },
            ],
          },
        },
      ],
    },
    {
      choices: [{ delta: { tool_calls: [{ index: 1, id: 'c2', function: { arguments: '{}' } }] } }],
    },
  ])
})
