// Tells a reader that takes little from one that takes nothing, by the kernel's own count where the system shows it.
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { monotonicMs } from '../lib/clock.ts'
import { isErrno } from '../lib/errno.ts'

/** Looks per limit: progress is known to a quarter of it, and streams that are blocked for less cost nothing. */
const LOOKS = 4

export interface SlowReaderWatch {
  /** Bytes that the reader has not taken yet; undefined = unknown. */
  readonly untaken: () => Promise<number | undefined>
  readonly limitMs: number
  /** Called once, when `limitMs` have passed in which nothing was taken. */
  readonly cut: () => void
}

/** The clock starts now; returns the stop. */
export function watchReader({ untaken, limitMs, cut }: SlowReaderWatch): () => void {
  let before: number | undefined
  let takenAtMs = monotonicMs()
  let stopped = false
  const look = async (): Promise<void> => {
    const now = await untaken()
    if (stopped) return
    if (before !== undefined && now !== undefined && now < before) takenAtMs = monotonicMs()
    before = now
    // Timers count whole milliseconds and may be early by a fraction.
    if (monotonicMs() - takenAtMs + 1 >= limitMs) cut()
    else timer = next()
  }
  const next = (): NodeJS.Timeout => {
    const leftMs = takenAtMs + limitMs - monotonicMs()
    return setTimeout(() => void look(), Math.min(limitMs / LOOKS, Math.max(1, leftMs)))
  }
  let timer = next()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/**
 * Bytes written to the socket that its reader's system has not taken; undefined where that is not shown (not Linux).
 * Node itself hears of progress only when a third of the send buffer is free again, and that buffer grows to 4 MB: at
 * 10 kB/s two minutes without a sign.
 * Source: measured on Linux 6 (cut after 62 s of steady reading); proc_net_tcp.txt; sk_stream_is_writeable.
 */
export async function untakenBytes(socket: Socket): Promise<number | undefined> {
  const { localPort, remotePort } = socket
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) {
    return undefined
  }
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => textOf(`/proc/self/net/${name}`)))
  return sendQueueOf(tables.join('\n'), localPort, remotePort)
}

/** `tx_queue` of the one connection between these ports; undefined when there is none or more than one. Pure. */
export function sendQueueOf(
  table: string,
  localPort: number,
  remotePort: number,
): number | undefined {
  const port = (number: number): string => number.toString(16).toUpperCase().padStart(4, '0')
  const line = new RegExp(
    `: [0-9A-F]+:${port(localPort)} [0-9A-F]+:${port(remotePort)} [0-9A-F]{2} ([0-9A-F]{8}):`,
    'g',
  )
  const [first, ...others] = table.matchAll(line)
  const queue = first?.[1]
  // Ports alone do not tell two remote hosts apart; better not to know than to be wrong.
  return queue === undefined || others.length > 0 ? undefined : Number.parseInt(queue, 16)
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1')
  } catch (error) {
    // No IPv6, no /proc in a container, no descriptor left: then it is not known.
    if (isErrno(error)) return ''
    throw error
  }
}
