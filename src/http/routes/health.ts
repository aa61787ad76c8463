// GET /health and /health/details. Neither starts an agent.
import type { Handler } from '../exchange.ts'
import { idHeaders } from '../reply-headers.ts'
import type { HttpServices } from '../services.ts'

/** Exactly these two keys when all is well; scripts compare the text. Source: the product's health contract. */
export const HEALTHY = { status: 'ok', cursor_cli: 'available' }

export function healthHandler(services: HttpServices): Handler {
  return async (c) => {
    const { available, reason } = await services.health()
    const headers = idHeaders(c.get('requestId'), 'chat')
    if (available) return c.json(HEALTHY, 200, headers)
    const why = reason ?? 'the Cursor CLI is not available'
    return c.json({ status: 'error', cursor_cli: 'unavailable', reason: why }, 503, headers)
  }
}

export function detailsHandler(services: HttpServices): Handler {
  return async (c) =>
    c.newResponse(JSON.stringify(await services.details()), 200, {
      'content-type': 'application/json',
      ...idHeaders(c.get('requestId'), 'chat'),
    })
}
