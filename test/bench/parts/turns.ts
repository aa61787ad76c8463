// Turns of a conversation, print and ACP, beside the program run directly: the first cold, the first warm, the second gone
// on in its session; what the agent gets on turn 2, and whether a round costs the same after fifty.
import { setTimeout as delay } from 'node:timers/promises'
import { numberAt } from '../../../src/lib/json.ts'
import type { Service } from '../../support/service.ts'
import { BOOT_MS, type Part } from '../context.ts'
import { atMost } from '../report.ts'
import { median, sum } from '../stats.ts'

const ENV = { CURSOR_ADAPTER_DEMO_BOOT_MS: String(BOOT_MS) }
const HISTORY_BYTES = 100_000
const WARM_MS = BOOT_MS + 800
const BACKENDS = ['print', 'acp'] as const
/** A chat of print mode is kept only when its process ended by itself. */
const KEEP = { 'pool.exit_grace': 5 }

export async function turns(part: Part): Promise<void> {
  const client = part.helper('client')
  const direct = part.helper('direct', BOOT_MS)
  const alone: number[] = []
  const rounds = part.times(5, 3)
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...((await direct.ask({ do: 'cold' })).firstMs ?? []))
  }
  part.row({ name: 'program run directly, cold', value: median(alone), unit: 'ms' })
  await direct.ask({ do: 'park', times: 1 })
  await delay(WARM_MS)
  const own = (await direct.ask({ do: 'prompt' })).firstMs?.[0] ?? Number.NaN
  part.row({ name: "agent's own, prompt to first text", value: own, unit: 'ms' })
  for (const backend of BACKENDS) {
    const settings = { backend, ...KEEP }
    const cold = await part.service({
      env: ENV,
      settings: { ...settings, 'pool.warm': 0, 'pool.recycle_after': 1 },
    })
    const warm = await part.service({ env: ENV, settings })
    const first: Record<'cold' | 'warm' | 'second', number[]> = { cold: [], warm: [], second: [] }
    let goneOn = 0
    for (let round = 0; round < rounds; round += 1) {
      first.cold.push(...((await client.ask({ do: 'ask', url: cold.url })).firstMs ?? []))
      await delay(WARM_MS)
      const talk = { do: 'talk', url: warm.url, rounds: 2, bytes: HISTORY_BYTES }
      const asked = await client.ask(talk)
      first.warm.push(asked.firstMs?.[0] ?? Number.NaN)
      first.second.push(asked.firstMs?.[1] ?? Number.NaN)
      goneOn += sum(asked.goneOn ?? [])
    }
    part.row({ name: `${backend}: turn 1 cold`, value: median(first.cold), unit: 'ms' })
    part.row({ name: `${backend}: turn 1 warm`, value: median(first.warm), unit: 'ms' })
    part.row({ name: `${backend}: turn 2`, value: median(first.second), unit: 'ms' })
    part.row({ name: `${backend}: turn 2 resumed`, value: (100 * goneOn) / rounds, unit: '%' })
    part.row({
      name: `${backend}: bytes to the agent on turn 2 of ${HISTORY_BYTES / 1000} kB, above the new text`,
      value: lastPromptBytes(warm),
      unit: 'B',
      target: atMost(1024),
    })
    if (backend === 'print') continue
    for (const [name, values] of [
      ['warm turn 1', first.warm],
      ['resumed turn 2', first.second],
    ] as const) {
      part.row({
        name: `acp: ${name} above the agent's own time`,
        value: median(values) - own,
        unit: 'ms',
        target: atMost(10),
      })
    }
  }
}

/** Per-round cost over a long conversation. */
export async function rounds(part: Part): Promise<void> {
  const service = await part.service({ settings: { backend: 'acp' } })
  const client = part.helper('client')
  const { firstMs = [], goneOn = [] } = await client.ask({
    do: 'talk',
    url: service.url,
    rounds: 50,
    bytes: 1000,
  })
  const [early, late] = [firstMs.slice(1, 11), firstMs.slice(-10)]
  part.row({ name: 'rounds 2 to 11: first token, median', value: median(early), unit: 'ms' })
  part.row({ name: 'rounds 41 to 50: first token, median', value: median(late), unit: 'ms' })
  part.row({
    name: 'rounds 41 to 50 against 2 to 11',
    value: median(late) / median(early),
    unit: '×',
    target: atMost(1.5),
  })
  part.row({ name: 'rounds gone on', value: (100 * sum(goneOn)) / 49, unit: '%' })
  const bytes = promptBytes(service)
  part.row({
    name: 'bytes to the agent, round 50 against round 2',
    value: (bytes.at(-1) ?? Number.NaN) / (bytes[1] ?? Number.NaN),
    unit: '×',
    target: atMost(1.1),
  })
}

function promptBytes(service: Service): number[] {
  return service
    .journal()
    .flatMap((fact) => (fact.event === 'prompt' ? [numberAt(fact, 'bytes') ?? 0] : []))
}

/** The new text itself is some twenty bytes. */
const lastPromptBytes = (service: Service): number => promptBytes(service).at(-1) ?? Number.NaN
