// A request with any header, also those that fetch sets by itself (Host, Origin, Content-Type).
import { type IncomingHttpHeaders, request } from 'node:http'

export interface PlainReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface PlainRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export function plainRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: PlainRequest = {},
): Promise<PlainReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('error', reject)
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
