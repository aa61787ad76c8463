// After a failed turn that did work, a client may ask to go on from where the reply broke off: nothing runs again.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../src/lib/json.ts'
import { dataOf } from '../contract/reassemble.ts'
import { type Heard, send, WAYS } from '../support/ask.ts'
import { type Service, startService } from '../support/service.ts'
import { readTool } from '../support/steps.ts'

const [started, ended] = readTool('r1')
const INIT = { init: true }
const FAILS = [{ stderr: 'Error: the model went away\n' }, { exit: 1 }]
const WAY = { api: 'messages', stream: true } as const
const GO_ON = {
  role: 'user',
  content:
    '<system-reminder>\nYour response above was cut off mid-stream. Resume directly from where it stops.\n</system-reminder>',
}

let service: Service
beforeAll(async () => {
  service = await startService({
    script: {
      runs: [
        { match: 'no work', steps: [INIT, ...FAILS] },
        { match: 'after work', steps: [INIT, { delta: 'I read.' }, started, ended, ...FAILS] },
      ],
    },
  })
})
afterAll(async () => {
  await service.stop()
})

const headers = (session: string) => ({ headers: { 'x-claude-code-session-id': session } })

/** What the client keeps of a broken stream: its whole blocks. */
function shownBlocks(heard: Heard): JsonObject[] {
  return heard.frames
    .map((frame) => dataOf(frame).content_block)
    .filter(isObject)
    .map((block) => (block.type === 'text' ? { ...block, text: 'I read.' } : block))
}

test('asking to go on after a failed turn that did work gets the failure again, for good', async () => {
  const asked = [{ role: 'user', content: 'Fail after work.' }]
  const first = await send(service, WAY, { messages: asked }, headers('s1'))
  expect(first.error).toMatchObject({ message: expect.stringContaining('the model went away') })
  const goOn = [...asked, { role: 'assistant', content: shownBlocks(first) }, GO_ON]
  for (const messages of [goOn, [...goOn, ...goOn.slice(1)]]) {
    const again = await send(service, WAY, { messages }, headers('s1'))
    expect(again.status).toBe(500)
    expect(again.headers.get('x-should-retry')).toBe('false')
    expect(again.error).toEqual(first.error)
  }
  expect(service.prompts().filter((prompt) => prompt.includes('after work'))).toHaveLength(1)
})

test.each(WAYS)(
  'the same request again fails for good, too ($api, stream $stream)',
  async (way) => {
    const asked = {
      messages: [{ role: 'user', content: `Fail after work, ${JSON.stringify(way)}` }],
    }
    const header = way.api === 'messages' ? 'x-claude-code-session-id' : 'x-session-id'
    const init = { headers: { [header]: `same ${way.stream}` } }
    const first = await send(service, way, asked, init)
    const again = await send(service, { ...way, stream: !way.stream }, asked, init)
    expect(again.status).toBe(way.api === 'messages' ? 500 : 400)
    expect(again.headers.get('x-should-retry')).toBe('false')
    expect(again.headers.get('retry-after')).toBeNull()
    // Some send again whatever says server_error.
    const type = way.api === 'messages' ? 'api_error' : 'invalid_request_error'
    expect(again.error).toMatchObject({ type, message: first.error?.message })
    expect(again.error?.code).toBe(first.error?.code)
    const wish = JSON.stringify(way)
    expect(service.prompts().filter((prompt) => prompt.includes(wish))).toHaveLength(1)
  },
)

test('another conversation is not told of it, and a new wish runs', async () => {
  const asked = [{ role: 'user', content: 'Fail again after work.' }]
  await send(service, WAY, { messages: asked }, headers('s2'))
  const messages = [...asked, { role: 'assistant', content: 'I read.' }, GO_ON]
  await send(service, WAY, { messages }, headers('s3'))
  const wish = [...messages.slice(0, 2), { role: 'user', content: 'Then try once more.' }]
  await send(service, WAY, { messages: wish }, headers('s2'))
  expect(service.prompts().filter((prompt) => prompt.includes('again after work'))).toHaveLength(3)
})

test('a turn that failed before it did anything is run anew', async () => {
  const asked = [{ role: 'user', content: 'Fail, no work.' }]
  const first = await send(service, WAY, { messages: asked }, headers('s4'))
  expect(first.status).toBe(500)
  await send(service, WAY, { messages: [...asked, GO_ON] }, headers('s4'))
  const prompts = service.prompts().filter((prompt) => prompt.includes('no work'))
  expect(prompts.length).toBeGreaterThan(1)
  expect(prompts.at(-1)).toContain('cut off mid-stream')
})
