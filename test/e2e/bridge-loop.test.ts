// Mode bridge: the client's own tools are called by Cursor and run by the client, one run for the whole loop.
import { afterEach, expect, test } from 'vitest'
import { NORMAL_END, WAYS } from '../support/ask.ts'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { promptFacts } from '../support/talk.ts'
import { TOOL_FINISH, ToolTalk } from '../support/tool-talk.ts'

let service: Service | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

async function start(backend: string, options: ServiceOptions): Promise<Service> {
  service = await startService({ ...options, settings: { backend, ...options.settings } })
  return service
}

const BACKENDS = ['acp', 'print'] as const
const EVERY_WAY = BACKENDS.flatMap((backend) => WAYS.map((way) => ({ backend, ...way })))

const READ_ONE = {
  runs: [
    {
      steps: [
        { init: true },
        { delta: 'Let me look.' },
        { call: { name: 'Read', arguments: { file_path: '/home/u/a.txt' } } },
        { delta: 'It says $RESULT.' },
        { result: true },
      ],
    },
  ],
}

test.each(EVERY_WAY)('one call and its result: $backend, $api, stream $stream', async (way) => {
  const service = await start(way.backend, { script: READ_ONE })
  const talk = new ToolTalk(service, { way, tools: ['Read', 'Edit'] })
  const asked = await talk.say('what is in a.txt?')
  expect(asked.text).toBe('Let me look.')
  expect(asked.finish).toBe(TOOL_FINISH[way.api])
  expect(asked.headers.get('x-cursor-adapter-mode')).toBe('bridge')
  expect(asked.calls).toMatchObject([{ name: 'Read', input: { file_path: '/home/u/a.txt' } }])
  const [call] = asked.calls
  expect(call?.id).toMatch(way.api === 'messages' ? /^toolu_[\w-]{1,58}$/ : /^call_[\w-]{1,59}$/)
  const answered = await talk.answer([{ id: call?.id ?? '', text: 'forty-two' }])
  expect(answered.text).toBe('It says forty-two.')
  expect(answered.finish).toBe(NORMAL_END[way.api])
  expect(answered.start).toBe('resumed')
  expect(promptFacts(service)).toHaveLength(1)
})
