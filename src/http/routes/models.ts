// GET /v1/models and /v1/models/:id, in the shape of whoever asks.
import type { Context } from 'hono'
import { Refusal } from '../../core/failure.ts'
import type { Handler } from '../exchange.ts'
import { anthropicModel, anthropicPage, openaiList, openaiModel } from '../model-list.ts'
import { apiOf } from '../paths.ts'
import { idHeaders } from '../reply-headers.ts'
import type { HttpEnv, HttpServices } from '../services.ts'

export function modelsHandler(services: HttpServices): Handler {
  return async (c) => {
    const models = await services.models()
    if (!isAnthropic(c)) return reply(c, openaiList(models))
    const { limit, after_id: after, before_id: before } = c.req.query()
    return reply(c, anthropicPage(models, { limit, after, before }))
  }
}

/** Ids may hold slashes and brackets, encoded or not. */
export function modelHandler(services: HttpServices): Handler {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    const model = (await services.models()).find((model) => model.id === id)
    if (model === undefined) {
      const shown = JSON.stringify(id.slice(0, 100))
      throw new Refusal('model-not-found', `No model ${shown}; GET /v1/models lists them.`)
    }
    return reply(c, isAnthropic(c) ? anthropicModel(model) : openaiModel(model))
  }
}

function isAnthropic(c: Context<HttpEnv>): boolean {
  return apiOf(c.req.path, c.req.raw.headers) === 'messages'
}

function reply(c: Context<HttpEnv>, body: object): Response {
  return c.newResponse(JSON.stringify(body), 200, {
    'content-type': 'application/json',
    ...idHeaders(c.get('requestId'), isAnthropic(c) ? 'messages' : 'chat'),
  })
}
