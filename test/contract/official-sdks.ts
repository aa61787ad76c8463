// Our frames through the official SDKs' own stream readers, without a socket: their `fetch` is handed the bytes.
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { Frame } from '../../src/protocols/protocol.ts'
import { sse } from '../protocols/streams.ts'

function replying(frames: readonly Frame[]): () => Promise<Response> {
  const headers = { 'content-type': 'text/event-stream' }
  return async () => new Response(sse(frames), { headers })
}

/** The final completion as the openai SDK assembles it. Rejects as the SDK does on an error frame. */
export async function readWithOpenAi(frames: readonly Frame[]): Promise<OpenAI.ChatCompletion> {
  const client = new OpenAI({
    apiKey: 'test',
    baseURL: 'http://127.0.0.1:9/v1',
    maxRetries: 0,
    fetch: replying(frames),
  })
  const stream = client.chat.completions.stream({
    model: 'auto',
    messages: [{ role: 'user', content: 'hi' }],
  })
  return await stream.finalChatCompletion()
}

/** The final response as the openai SDK's helper assembles it. Rejects with the failure's text, which the SDK only shows. */
export async function readResponses(frames: readonly Frame[]): Promise<OpenAI.Responses.Response> {
  const client = new OpenAI({
    apiKey: 'test',
    baseURL: 'http://127.0.0.1:9/v1',
    maxRetries: 0,
    fetch: replying(frames),
  })
  const response = await client.responses.stream({ model: 'auto', input: 'hi' }).finalResponse()
  if (response.status === 'failed') throw new Error(response.error?.message)
  return response
}

/** The final message as the Anthropic SDK assembles it. Rejects as the SDK does on an error event. */
export async function readWithAnthropic(frames: readonly Frame[]): Promise<Anthropic.Message> {
  const client = new Anthropic({
    apiKey: 'test',
    baseURL: 'http://127.0.0.1:9',
    maxRetries: 0,
    fetch: replying(frames),
  })
  const stream = client.messages.stream({
    model: 'auto',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'hi' }],
  })
  return await stream.finalMessage()
}
