// Mode bridge: what a tool round trip adds. Cursor's call → the client has it, and the client's result → Cursor has it.
import { numberAt } from '../../../src/lib/json.ts'
import type { Service } from '../../support/service.ts'
import { ToolTalk } from '../../support/tool-talk.ts'
import type { Part } from '../context.ts'
import { atMost } from '../report.ts'
import { median, percentile } from '../stats.ts'

/** Default of `bridge.group_ms`: the last call of a step waits for further ones this long. */
const GROUP_MS = 100
const SCRIPT = {
  runs: [
    {
      steps: [
        { init: true },
        { call: { name: 'Read', arguments: { file_path: '/a.txt' } } },
        { delta: 'It says $RESULT.' },
        { recap: true },
        { result: true },
      ],
    },
  ],
}

export async function toolRoundTrip(part: Part): Promise<void> {
  for (const backend of ['acp', 'print']) {
    // No spare that boots in the very moment in which a call is on its way: here every round is a new conversation.
    const settings = { backend, mode: 'bridge', 'pool.warm': 0 }
    const service = await part.service({ script: SCRIPT, settings })
    const outMs: number[] = []
    const backMs: number[] = []
    const times = part.times(20, 6)
    for (let round = -2; round < times; round += 1) {
      const talk = new ToolTalk(service, {
        way: { api: 'messages', stream: true },
        tools: ['Read', 'Edit'],
        id: `round ${round}`,
      })
      const { calls } = await talk.say(`round ${round}`)
      const heardAtMs = Date.now()
      const calledAtMs = lastOf(service, 'mcp-call')
      const sentAtMs = Date.now()
      await talk.answer(calls.map(({ id }) => ({ id, text: 'forty-two' })))
      // The first rounds warm up code and the agents.
      if (round < 0) continue
      outMs.push(heardAtMs - calledAtMs - GROUP_MS)
      backMs.push(lastOf(service, 'mcp-result') - sentAtMs)
    }
    for (const [name, values] of [
      ["Cursor's call → at the client, beyond the grouping window", outMs],
      ["client's result → at Cursor", backMs],
    ] as const) {
      part.row({
        name: `${backend}: ${name}, median`,
        value: median(values),
        unit: 'ms',
        target: atMost(5),
      })
      part.row({ name: `${backend}: ${name}, p95`, value: percentile(values, 0.95), unit: 'ms' })
    }
  }
}

/** Wall time of the newest fact of this kind in the agents' journal. */
function lastOf(service: Service, event: string): number {
  const facts = service.journal().filter((fact) => fact.event === event)
  return numberAt(facts.at(-1) ?? {}, 'atMs') ?? Number.NaN
}
