// One streamed chat request to a running service over HTTP, printed as it arrives.
import { arrayAt, isObject, objectAt, parseJson, stringAt } from '../lib/json.ts'
import type { Console } from './console.ts'
import { CommandError } from './exit-codes.ts'

const QUESTION = 'What is cursor-adapter, in two sentences?'

/** Prints question and answer. @throws CommandError when the reply is an error or stops short. */
export async function askItself(console: Console, url: string, key: string | null): Promise<void> {
  console.line(`\n${console.paint.strong(`POST ${url}/v1/chat/completions`)}  ${QUESTION}\n`)
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model: 'auto',
      stream: true,
      messages: [{ role: 'user', content: QUESTION }],
    }),
  })
  if (!response.ok || response.body === null) {
    throw new CommandError(
      'failed',
      `the service answered ${response.status}: ${await response.text()}`,
    )
  }
  const started = response.headers.get('x-cursor-adapter-start') ?? 'unknown'
  let done = false
  for await (const data of dataLines(response.body)) {
    if (data === '[DONE]') done = true
    else console.write(textOf(data))
  }
  if (!done) throw new CommandError('failed', 'the answer stopped before its end')
  console.line(`\n\n${console.paint.faint(`(streamed, agent started: ${started})`)}`)
}

/** The `data:` lines of an event stream. */
async function* dataLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const bytes of body) {
    const lines = (pending + decoder.decode(bytes, { stream: true })).split('\n')
    pending = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim()
  }
}

function textOf(data: string): string {
  const chunk = parseJson(data)
  if (!isObject(chunk)) return ''
  const error = objectAt(chunk, 'error')
  if (error !== undefined) {
    throw new CommandError('failed', `the answer failed: ${stringAt(error, 'message') ?? data}`)
  }
  const choice = arrayAt(chunk, 'choices')?.[0]
  const delta = isObject(choice) ? objectAt(choice, 'delta') : undefined
  return delta === undefined ? '' : (stringAt(delta, 'content') ?? '')
}
