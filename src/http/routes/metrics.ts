// GET /metrics: the Prometheus text.
import type { Handler } from '../exchange.ts'
import { idHeaders } from '../reply-headers.ts'
import type { HttpServices } from '../services.ts'

export function metricsHandler({ metrics }: HttpServices): Handler {
  return async (c) =>
    c.newResponse(await metrics.render(), 200, {
      'content-type': metrics.contentType,
      ...idHeaders(c.get('requestId'), 'chat'),
    })
}
