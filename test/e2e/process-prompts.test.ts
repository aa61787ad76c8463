// Field cases F37, F38, F39: prompts that are long, look like flags, or are not read by anybody.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { stringAt } from '../../src/lib/json.ts'
import { type AgentFacts, agentOf, agents, flagOf, prompted } from '../support/agents.ts'
import { APIS, ask, errorType, NORMAL_END, unique, WAYS, type Way } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { OK, delta as say } from '../support/steps.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A text of at least so many bytes that begins with a unique line, whose end would show a cut. */
function longText(bytes: number, piece: string): string {
  const head = `${unique('long')}\n`
  return `${head}${piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)))}\nlast line`
}

const answering = { runs: [{ steps: [{ init: true }, say('read'), OK] }] }

describe('prompts', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script: answering, settings: { 'pool.warm': 0 } })
  })
  afterAll(() => service.stop())

  const promptOf = ({ pid }: AgentFacts): string => {
    const fact = service.journal().find((one) => one.event === 'prompt' && one.pid === pid)
    return (fact && stringAt(fact, 'prompt')) ?? ''
  }

  const promptWith = (text: string): string =>
    service.prompts().find((prompt) => prompt.includes(text)) ?? ''

  const sizes: readonly (readonly [number, string])[] = [
    [127 * 1024, 'plain text, no surprises. '],
    [200 * 1024, '日本語のテキスト 😀 "quotes" \\ $HOME `id` '],
    [3 * 1024 * 1024, 'line\r\nof \u0007 bells and {"json": true}\n'],
  ]
  test.each(sizes)(
    'F37: a prompt of %i bytes arrives byte for byte and in no argv',
    async (bytes, piece) => {
      const one = async (way: Way): Promise<void> => {
        const text = longText(bytes, piece)
        const heard = await ask(service, way, text)
        expect([heard.status, heard.text]).toEqual([200, 'read'])
        const head = text.slice(0, text.indexOf('\n') + 1)
        const agent = agentOf(service, head)
        expect(digest(promptWith(head))).toBe(digest(text))
        expect(agent.argv.join(' ').length).toBeLessThan(1000)
      }
      const ways = WAYS.filter(({ api, stream }) => bytes < 1 << 20 || stream === (api === 'chat'))
      await Promise.all(ways.map(one))
    },
  )

  test.runIf(OVER_ACP)('F38: a prompt that looks like flags is text', async () => {
    for (const text of ['- [ ] fix', '---', '--version', '-f', '--', '--model x']) {
      const heard = await ask(service, { api: 'chat', stream: false }, text)
      expect(heard.text).toBe('read')
      expect(service.prompts().at(-1)).toBe(text)
    }
  })

  // Over ACP a prompt is a field of a message, and a process serves more than one.
  test.skipIf(OVER_ACP)(
    'F38: a prompt that looks like flags is text, and the flags are those of any other prompt',
    async () => {
      const shape = (agent: AgentFacts): string[] =>
        agent.argv.map((word) => (word === flagOf(agent, '--workspace') ? 'FOLDER' : word))
      const ordinary = 'just words'
      const odd = ['- [ ] fix', '---', '--version', '-f', '--', '--model x']
      await ask(service, { api: 'chat', stream: true }, ordinary)
      const flags = shape(agentOf(service, ordinary))
      for (const api of APIS) {
        const before = agents(service).length
        const replies = await Promise.all(
          odd.map((text) => ask(service, { api, stream: false }, text)),
        )
        expect(replies.map(({ text }) => text)).toEqual(odd.map(() => 'read'))
        const started = agents(service).slice(before)
        expect(started.map(promptOf).toSorted()).toEqual(odd.toSorted())
        for (const agent of started) expect(shape(agent)).toEqual(flags)
      }
    },
  )
})

describe('prompts that nobody reads', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script: answering, settings: { 'pool.warm': 0 } })
  })
  afterAll(() => service.stop())

  test('F39: a child that exits without reading five megabytes is an error of that request only', async () => {
    const steps = [{ init: true }, say('a'), { sleep: within(2500) }, say('b'), OK]
    service.setScript({ runs: [{ steps }] })
    const question = unique('healthy')
    const healthy = ask(service, { api: 'chat', stream: true }, question)
    await prompted(service, question)
    const endings = [
      { code: 1, words: 'cannot start today', says: /cannot start today/ },
      { code: 0, words: '', says: /ended without a result/ },
    ]
    for (const { code, words, says } of endings) {
      service.setScript({ startup: [{ closeStdin: true }, { stderr: words }, { exit: code }] })
      const ways = WAYS.filter(({ api, stream }) => stream === ((api === 'chat') === (code === 1)))
      const doomed = ways.map(async (way) => {
        const heard = await ask(service, way, longText(5 << 20, 'unread '))
        expect(heard.status).toBe(500)
        expect(errorType(way.api, heard)).toBe(
          way.api === 'messages' ? 'api_error' : 'server_error',
        )
        expect(String(heard.error?.message)).toMatch(says)
      })
      await Promise.all(doomed)
    }
    service.setScript(answering)
    const heard = await healthy
    expect([heard.text, heard.finish]).toEqual(['ab', NORMAL_END.chat])
    // A process of ACP mode has read its script at its start, and which one plays this is the pool's choice.
    const after = await ask(service, { api: 'messages', stream: true }, unique('after'))
    expect(OVER_ACP ? ['ab', 'read'] : ['read']).toContain(after.text)
    expect(service.stderr()).not.toMatch(/EPIPE|uncaught/i)
  })
})
