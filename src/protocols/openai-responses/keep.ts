// What of an exchange is kept for clients that name an earlier reply instead of sending it again.
import { z } from 'zod'
import { check, jsonValue } from '../check.ts'
import type { KeptReplies, ToKeep } from '../protocol.ts'
import { inputItems, referenceOf } from './items.ts'
import { conversationId } from './request.ts'
import { request as schema } from './schema.ts'

const ended = z.looseObject({ id: z.string(), output: z.array(jsonValue) })

/** Undefined where the client said `store: false`. Instructions are not kept: the API does not carry them over. */
export function toKeep(
  body: unknown,
  reply: object,
  kept: KeptReplies | undefined,
): ToKeep | undefined {
  const request = check(schema, body)
  if (request.store === false) return undefined
  const { id, output } = check(ended, reply)
  const own = inputItems(request.input).map((entry) => {
    const reference = referenceOf(entry)
    return (reference === undefined ? undefined : kept?.item(reference)) ?? entry
  })
  return {
    replyId: id,
    previous: request.previous_response_id ?? undefined,
    conversation: conversationId(request),
    items: [...own, ...output],
  }
}
