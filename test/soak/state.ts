// What a service holds at rest: descriptors, processes, gauges, memory.
import { readdirSync, readlinkSync } from 'node:fs'
import { isErrno } from '../../src/lib/errno.ts'
import { type Service, seriesValue } from '../support/service.ts'
import { isAlive, until } from '../support/until.ts'

const PREFIX = 'cursor_adapter_'
const BUSY = ['starting', 'busy', 'parked', 'closing'].map((at) => `children{state="${at}"}`)
const MUST_BE_ZERO = ['runs_active', 'queue_depth', 'parked_calls', ...BUSY]
const REST_MS = 20_000

/** Waits until nothing is going on and as many spares wait as after a burst; then nothing may change any more. */
export async function atRest(service: Service, spares: number): Promise<void> {
  await until(`${spares} spares and nothing else`, REST_MS, async () => {
    const text = await service.metrics()
    const warm = seriesValue(text, `${PREFIX}children{state="warm"}`)
    return warm === spares && notZero(text).length === 0
  })
}

/** Gauges that are not back at 0, with their values. */
export function notZero(metrics: string): string[] {
  return MUST_BE_ZERO.map((name) => `${name} ${seriesValue(metrics, PREFIX + name) ?? 0}`).filter(
    (line) => !line.endsWith(' 0'),
  )
}

/** Open descriptors by what they are; sockets of clients that have just left are waited out by the caller. */
export function descriptors(pid: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOf(`/proc/${pid}/fd/${name}`)
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

function kindOf(link: string): string | undefined {
  try {
    return readlinkSync(link).replace(/:\[\d+\]$/, '')
  } catch (error) {
    // Closed between listing and looking.
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Pids the agents' journal names that are still there. */
export function livingAgents(service: Service): number[] {
  return service
    .journal()
    .flatMap(({ event, pid }) =>
      (event === 'start' || event === 'grandchild') && typeof pid === 'number' ? [pid] : [],
    )
    .filter(isAlive)
}
