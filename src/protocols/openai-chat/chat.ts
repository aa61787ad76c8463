// The chat completions protocol.
import type { Protocol } from '../protocol.ts'
import { chatFailure, chatStatus } from './failure.ts'
import { chatReply } from './reply.ts'
import { parseChat } from './request.ts'
import { ChatStream } from './stream.ts'

export const chatProtocol: Protocol = {
  api: 'chat',
  parse: (body) => parseChat(body),
  stream: (turn, context) => new ChatStream(turn, context),
  reply: chatReply,
  failure: chatFailure,
  status: chatStatus,
}
