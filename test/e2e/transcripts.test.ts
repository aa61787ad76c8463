// The fourteen recorded shapes of Cursor's stream through the running service: what each one must become for clients.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isObject, parseJson, stringAt } from '../../src/lib/json.ts'
import { ask, errorType, NORMAL_END, unique, WAYS, type Way } from '../support/ask.ts'
import { ROOT, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const FOLDER = join(ROOT, 'test/fixtures/transcripts')
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
const contentOf = (number: string): string =>
  readFileSync(join(FOLDER, FILES.find((name) => name.startsWith(number)) ?? ''), 'utf8')

/** The answer according to the result line. */
function resultOf(number: string): string {
  const last = parseJson(contentOf(number).trimEnd().split('\n').at(-1) ?? '')
  return (isObject(last) ? stringAt(last, 'result') : undefined) ?? ''
}

const completedCalls = (number: string): number =>
  new Set(
    contentOf(number)
      .split('\n')
      .filter((line) => line.includes('"type":"tool_call","subtype":"completed"'))
      .map((line) => /"call_id":"([^"]+)"/.exec(line)?.[1]),
  ).size

const GOOD = ['01', '02', '03', '04', '05', '06', '07', '08', '11', '13']

interface Bad {
  readonly name: string
  readonly file: string
  /** What follows the recorded lines. */
  readonly end: readonly object[]
  readonly status: number
  /** Text that a streaming client has seen before the failure; '' = the failure is the status. */
  readonly text: string
  readonly says: RegExp
  /** Agents started for one request. */
  readonly runs: number
}

const BUILD = "I'll run the build first.The build fails in `src/a.ts`. I'll"
const BAD: readonly Bad[] = [
  {
    name: '09 three lost connections, retried once',
    file: '09',
    end: [{ stderr: 'RetriableError: [unavailable] Error\n' }, { exit: 1 }],
    status: 502,
    text: '',
    says: /connection to Cursor failed.*\[unavailable\]/,
    runs: 2,
  },
  {
    name: '10 killed in the middle, as a shell reports it',
    file: '10',
    end: [{ exit: 137 }],
    status: 500,
    text: BUILD,
    says: /killed by SIGKILL/,
    runs: 1,
  },
  {
    name: '10 killed in the middle',
    file: '10',
    end: [{ signal: 'SIGKILL' }],
    status: 500,
    text: BUILD,
    says: /killed by SIGKILL/,
    runs: 1,
  },
  {
    name: '10 exit code 1 in the middle',
    file: '10',
    end: [{ exit: 1 }],
    status: 500,
    text: BUILD,
    says: /exited with code 1/,
    runs: 1,
  },
  {
    name: '10 even with exit code 0',
    file: '10',
    end: [{ exit: 0 }],
    status: 500,
    text: BUILD,
    says: /without a result/,
    runs: 1,
  },
  {
    name: '12 an error inside the text',
    file: '12',
    end: [],
    status: 502,
    text: 'Reading the readme.',
    says: /connection to Cursor failed/,
    runs: 1,
  },
  {
    name: '14 stopped while a tool was open',
    file: '14',
    end: [{ exit: 143 }],
    status: 500,
    text: 'Starting the dev server.',
    says: /killed by SIGTERM/,
    runs: 1,
  },
]

const play = (number: string) => ({
  play: join(FOLDER, FILES.find((file) => file.startsWith(number)) ?? ''),
})

test('there are fourteen', () => {
  expect(FILES).toHaveLength(14)
})

describe('transcripts', { timeout: 60_000 }, () => {
  let service: Service
  beforeAll(async () => {
    const good = GOOD.map((file) => ({ match: `^good ${file} #`, steps: [play(file)] }))
    const bad = BAD.map(({ file, end }, index) => ({
      match: `^bad ${index} #`,
      steps: [play(file), ...end],
    }))
    const torn = { match: '^torn #', steps: [{ raw: contentOf('01').slice(0, -60) }] }
    service = await startService({ script: { runs: [...good, ...bad, torn] } })
  })
  afterAll(() => service.stop())

  test.concurrent.each(GOOD)(
    '%s gives its result text once, and shows its tools as done',
    async (file) => {
      const ways = WAYS.map(async (way) => {
        const heard = await ask(service, way, unique(`good ${file}`))
        expect(heard.error).toBeUndefined()
        expect(heard.text).toBe(resultOf(file))
        expect(heard.finish).toBe(NORMAL_END[way.api])
        expect(heard.raw).not.toMatch(/"type":"tool_use"|"tool_calls":\[/)
        if (way.api !== 'chat') return
        const lines = heard.thinking.split('\n').filter((line) => /^\[\w.*: \w.*\]$/.test(line))
        expect(lines).toHaveLength(completedCalls(file))
      })
      await Promise.all(ways)
    },
  )

  const rows = BAD.map((row, index) => ({ ...row, index }))
  test.concurrent.each(rows)('$name is a failure in every form', async (row) => {
    const ways = WAYS.map(async (way) => {
      const question = unique(`bad ${row.index}`)
      const heard = await ask(service, way, question)
      const begun = way.stream && row.text !== ''
      expect(heard.status).toBe(begun ? 200 : row.status)
      expect(heard.text).toBe(begun ? row.text : '')
      expect(heard.finish).toBeUndefined()
      expect(errorType(way.api, heard)).toBe(way.api === 'messages' ? 'api_error' : 'server_error')
      expect(String(heard.error?.message)).toMatch(row.says)
      const runs = service.prompts().filter((prompt) => prompt === question)
      expect(runs).toHaveLength(row.runs)
    })
    await Promise.all(ways)
  })

  test.each(WAYS)('a torn result line is no end ($api, stream $stream)', async (way) => {
    const heard = await ask(service, way, unique('torn'))
    expect(heard.status).toBe(way.stream ? 200 : 500)
    expect(heard.text).toBe(way.stream ? resultOf('01') : '')
    expect(heard.error?.message).toMatch(/without a result/)
  })

  test('08 has no usage: nothing is counted as told by Cursor', async () => {
    const series = 'cursor_adapter_tokens_total{kind="input",source="cursor"}'
    const before = await service.metric(series)
    const old = await ask(service, { api: 'chat', stream: false }, unique('good 08'))
    expect(old.reply).toMatchObject({ usage: { completion_tokens: expect.any(Number) } })
    expect(await service.metric(series)).toBe(before)
    await ask(service, { api: 'chat', stream: false }, unique('good 01'))
    await until('the usage of a newer build to be counted', 3000, async () => {
      return ((await service.metric(series)) ?? 0) > (before ?? 0)
    })
  })
})

describe('14 with an agent that waits for its tool', { timeout: 60_000 }, () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      script: {
        runs: [
          { match: 'tool', steps: [play('14'), { hang: true }] },
          { steps: [{ init: true }, { hang: true }] },
        ],
      },
      settings: { stall_timeout: 2, timeout: 4, 'pool.kill_grace': 1, 'pool.warm': 4 },
    })
  })
  afterAll(() => service.stop())
  // The time an agent takes to start is not its silence: it has started before it is asked.
  beforeEach(() =>
    until('the agents to be up', 20_000, async () => {
      return (await service.metric('cursor_adapter_children{state="warm"}')) === 4
    }),
  )

  test('an open tool is no stall: the time limit ends it, and the agent with SIGTERM', async () => {
    const asked = async (way: Way) => {
      const question = unique('tool')
      const heard = await ask(service, way, question)
      expect(heard.status).toBe(way.stream ? 200 : 504)
      expect(heard.text).toBe(way.stream ? 'Starting the dev server.' : '')
      expect(heard.error?.message).toMatch(/timeout|4 s/)
      expect(heard.error?.message).not.toMatch(/stall/)
      const facts = service.journal()
      const pid = facts.find(({ event, prompt }) => event === 'prompt' && prompt === question)?.pid
      await until('the agent to be ended', 5000, () =>
        service
          .journal()
          .some((fact) => fact.event === 'exit' && fact.pid === pid && fact.code === 143),
      )
    }
    await Promise.all(WAYS.map(asked))
  })

  test('silence without a tool is one', async () => {
    const asked = async (way: Way) => {
      const heard = await ask(service, way, unique('silent'))
      expect(heard.status).toBe(504)
      expect(heard.error?.message).toMatch(/stall/)
    }
    await Promise.all(WAYS.map(asked))
  })
})
