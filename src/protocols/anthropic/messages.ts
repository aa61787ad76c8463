// The Messages protocol.
import type { Protocol } from '../protocol.ts'
import { messagesFailure, messagesStatus } from './failure.ts'
import { messagesReply } from './reply.ts'
import { parseMessages } from './request.ts'
import { MessagesStream } from './stream.ts'

export const messagesProtocol: Protocol = {
  api: 'messages',
  /** Also reads `count_tokens` bodies. */
  parse: (body) => parseMessages(body),
  stream: (turn, context) => new MessagesStream(turn, context),
  reply: messagesReply,
  failure: messagesFailure,
  status: messagesStatus,
}
