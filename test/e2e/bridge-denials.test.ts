// Mode bridge: what a tool of Cursor's own, tried in the sealed room, says of the client's machine.
import { afterEach, describe, expect, test } from 'vitest'
import { unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { promptFacts } from '../support/talk.ts'
import { ToolTalk } from '../support/tool-talk.ts'
import { until } from '../support/until.ts'

const TRY = {
  runs: [
    {
      steps: [
        { init: true },
        { attempt: { kind: 'readToolCall', args: { path: 'a.txt' } } },
        { attempt: { kind: 'taskToolCall', args: {} } },
        { delta: '$RESULT1\n$RESULT2' },
        { result: true },
      ],
    },
  ],
}
const system = (folder: string, ...more: readonly string[]): string =>
  ['# Environment', ` - Primary working directory: ${folder}`, ...more].join('\n - ')

let service: Service | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

describe.each(['acp', 'print'])('on %s', (backend) => {
  async function start(settings: Readonly<Record<string, number>> = {}): Promise<Service> {
    service = await startService({
      script: TRY,
      settings: { backend, 'pool.warm': 0, ...settings },
    })
    return service
  }

  const talkTo = (of: Service, body: object): ToolTalk =>
    new ToolTalk(of, {
      way: { api: 'messages', stream: true },
      tools: ['Read', 'Bash'],
      id: unique('talk'),
      body,
    })

  test('the tool to use and the facts of the prompt, in its words', async () => {
    const of = await start()
    const told = [
      "The user's working directory: /some/dir",
      'Platform: darwin',
      'OS version: Darwin 24',
      'Is the working directory a git repository: true',
    ]
    const stated = ['Platform: darwin', 'Is a git repository: true', 'OS Version: Darwin 24']
    const talk = talkTo(of, { system: system('/some/dir', ...stated) })
    const lines = (await talk.say('hello')).text.split('\n')
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line.endsWith(` ${told.join('; ')}`)).toBe(true)
    expect(lines[0]).toContain('Use the tool "Read" of the MCP server "client" instead')
    const [prompt] = promptFacts(of)
    for (const fact of told) expect(prompt?.text).toContain(fact)
  })

  test('a client that states none gets none, and the next turn of a conversation its own', async () => {
    const of = await start()
    const odd = String.raw`C:\Users\it's "$(id)" 100%s`
    const talk = talkTo(of, { system: system('/first/dir', 'Platform: linux') })
    expect((await talk.say('one')).text).toContain('directory: /first/dir; Platform: linux')
    talk.body = { system: system(odd) }
    const second = await talk.say('two')
    expect(second.text.split('\n')[0]?.endsWith(`working directory: ${odd}`)).toBe(true)
    talk.body = {}
    const third = await talk.say('three')
    expect(third.text).toContain("Those tools run on the user's machine.")
    expect(third.text).not.toMatch(/directory:|Platform:/)
    // The room is the same one all the time, where there is a session to go on in.
    if (backend === 'acp') expect([second.start, third.start]).toEqual(['resumed', 'resumed'])
  })

  test('a room that was sealed before anybody asked', async () => {
    const of = await start({ 'pool.warm': 1 })
    await talkTo(of, { system: system('/first/dir') }).say('one')
    const ready = 'cursor_adapter_children{state="warm"}'
    await until('a spare', within(10_000), async () => (await of.metric(ready)) === 1)
    const second = await talkTo(of, { system: system('/second/dir') }).say('two')
    expect(second.start).toBe('warm')
    expect(second.text).toContain('working directory: /second/dir')
    expect(second.text).not.toContain('/first')
  })
})
