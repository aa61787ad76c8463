// POST /v1/messages/count_tokens and /v1/responses/input_tokens: our own count, no agent.
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { type Handler, handler, readTurn } from '../exchange.ts'
import { sendJson } from '../exchange-state.ts'
import { ROUTES } from '../paths.ts'
import type { HttpServices } from '../services.ts'

export function countTokensHandler(services: HttpServices): Handler {
  const of = { services, protocol: services.protocols.messages, route: ROUTES.countTokens.route }
  return handler(of, async (exchange, c) => {
    const { turn } = await readTurn(exchange, c)
    const count: Anthropic.MessageTokensCount = {
      input_tokens: await services.answerer.countTokens(turn),
    }
    await sendJson(exchange, count)
  })
}

export function inputTokensHandler(services: HttpServices): Handler {
  const of = { services, protocol: services.protocols.responses, route: ROUTES.inputTokens.route }
  return handler(of, async (exchange, c) => {
    const { turn } = await readTurn(exchange, c)
    const count: OpenAI.Responses.InputTokenCountResponse = {
      object: 'response.input_tokens',
      input_tokens: await services.answerer.countTokens(turn),
    }
    await sendJson(exchange, count)
  })
}
