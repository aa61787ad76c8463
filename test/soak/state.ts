// What a service holds at rest: descriptors, processes, gauges, memory.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
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

/**
 * Open descriptors by what they are. Connections whose client is still there do not count: how many a client keeps
 * for its next request is its own matter; one that its client has closed counts as `left connection`.
 */
export function descriptors(pid: number): ReadonlyMap<string, number> {
  const connections = tcpStates(pid)
  const counts = new Map<string, number>()
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOf(`/proc/${pid}/fd/${name}`, connections)
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

function kindOf(link: string, connections: ReadonlyMap<string, string>): string | undefined {
  const target = readTarget(link)
  const [, kind, inode] = /^(.*):\[(\d+)\]$/.exec(target ?? '') ?? []
  if (inode === undefined) return target
  const state = connections.get(inode)
  if (state === undefined) return kind
  if (state === ESTABLISHED) return undefined
  return state === LISTEN ? 'listener' : 'left connection'
}

function readTarget(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch (error) {
    // Closed between listing and looking.
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

// Of the fourth column of /proc/net/tcp: proc(5), include/net/tcp_states.h.
const ESTABLISHED = '01'
const LISTEN = '0A'

/** The states of a process's TCP sockets by their inodes. */
function tcpStates(pid: number): ReadonlyMap<string, string> {
  const states = new Map<string, string>()
  for (const table of ['tcp', 'tcp6']) {
    for (const row of rowsOf(`/proc/${pid}/net/${table}`)) {
      const { 3: state, 9: inode } = row.trim().split(/\s+/)
      if (state !== undefined && inode !== undefined) states.set(inode, state)
    }
  }
  return states
}

/** Without the heading. A kernel without IPv6 has no `tcp6`. */
function rowsOf(table: string): string[] {
  try {
    return readFileSync(table, 'utf8').split('\n').slice(1)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
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
