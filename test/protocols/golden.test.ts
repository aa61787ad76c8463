// The main streams, byte for byte. The files under test/fixtures/wire were read line by line when they were made;
// a change in one of them is a change of what clients get.
import { describe, expect, test } from 'vitest'
import { messagesProtocol } from '../../src/protocols/anthropic/messages.ts'
import { chatProtocol } from '../../src/protocols/openai-chat/chat.ts'
import { responsesProtocol } from '../../src/protocols/openai-responses/responses.ts'
import { CONTEXT, framesOf, MAIN_STREAMS, sse } from './streams.ts'

const BODY = {
  model: 'auto',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'hi' }],
  input: 'hi',
}

describe.each([
  { folder: 'openai-chat', protocol: chatProtocol },
  { folder: 'openai-responses', protocol: responsesProtocol },
  { folder: 'anthropic', protocol: messagesProtocol },
])('$folder', ({ folder, protocol }) => {
  test.each(MAIN_STREAMS)('the stream "$name" is as recorded', async ({ name, steps, context }) => {
    const frames = framesOf(protocol, BODY, steps, { ...CONTEXT, ...context })
    await expect(sse(frames)).toMatchFileSnapshot(`../fixtures/wire/${folder}/${name}.sse`)
  })
})
