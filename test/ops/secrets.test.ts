// Known keys in headers, configuration, environment and in what the agent prints: none of them may come out anywhere.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const OURS = 'our-access-key-4711'
const CURSORS = 'crsr_0123456789abcdef0123456789abcdef'
const WRONG = 'sk-wrong-key-from-a-client-99'
const PRINTED = 'sk-ant-printed-by-the-agent-123456'
const SET = 'value-of-cursor-env-secret'
const ALL = [OURS, CURSORS, WRONG, PRINTED, SET]

const script = {
  runs: [
    {
      match: 'fail',
      steps: [
        { stderr: `Error: request with ${CURSORS} and Bearer ${PRINTED} refused for ${SET}\n` },
        { exit: 1 },
      ],
    },
    { steps: [{ init: true }, { delta: 'fine' }, { recap: true }, { result: true }] },
  ],
}

let service: Service
beforeAll(async () => {
  service = await startService({
    settings: {
      api_key: OURS,
      'log.level': 'debug',
      'cursor.env': JSON.stringify({ A_SECRET: SET }),
    },
    env: { CURSOR_API_KEY: CURSORS },
    script,
  })
})
afterAll(async () => {
  await service.stop()
})

const ask = async (content: string, key: string, path = '/v1/chat/completions') => {
  const response = await service.post(
    path,
    { model: 'auto', max_tokens: 10, messages: [{ role: 'user', content }] },
    { headers: { authorization: `Bearer ${key}`, 'x-api-key': key } },
  )
  const headers = [...response.headers].join('\n')
  return { status: response.status, text: `${headers}\n${await response.text()}` }
}

test('F81: no key comes out in bodies, headers, health, metrics, logs or standard output', async () => {
  const good = await ask('hello', OURS)
  expect(good.status).toBe(200)
  const refused = await ask('hello', WRONG)
  expect(refused.status).toBe(401)
  const failed = [await ask('fail', OURS), await ask('fail', OURS, '/v1/messages')]
  for (const { status } of failed) expect(status).toBeGreaterThanOrEqual(500)
  const get = async (path: string) =>
    (await fetch(service.url + path, { headers: { authorization: `Bearer ${OURS}` } })).text()
  const pages = await Promise.all(['/health', '/health/details', '/metrics'].map(get))
  await until('the log of the last exchange', 5000, () => {
    return service.stderr().split('"msg":"exchange"').length > 3
  })
  const everything = [good, refused, ...failed].map(({ text }) => text)
  const text = [...everything, ...pages, service.stderr(), service.stdout()].join('\n')
  for (const secret of ALL) expect(text).not.toContain(secret)
  expect(text).not.toContain(join(service.folder, 'home'))
})
