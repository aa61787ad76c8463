// The Responses protocol.
import type { Protocol } from '../protocol.ts'
import { responsesFailure, responsesStatus } from './failure.ts'
import { toKeep } from './keep.ts'
import { responsesReply } from './reply.ts'
import { parseResponses } from './request.ts'
import { ResponsesStream } from './stream.ts'

export const responsesProtocol: Protocol = {
  api: 'responses',
  parse: (body, _headers, kept) => parseResponses(body, kept),
  stream: (turn, context) => new ResponsesStream(turn, context),
  reply: responsesReply,
  toKeep,
  failure: responsesFailure,
  status: responsesStatus,
}
