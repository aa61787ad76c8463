// The mark in a child's environment by which its helpers are known as ours after everything else about them changed.
import { hasProc, readProc } from '../lib/process-identity.ts'

/** Holds `<instance>`, or `<instance>.<child>` once startChild made it specific. */
export const MARKER_NAME = 'CURSOR_ADAPTER_CHILD'

const buffer = { bytes: Buffer.alloc(0) }
/** Linux hands out at most this much of an environment that a child of ours could have been started with. */
const LARGEST_ENVIRONMENT = 2 << 20

/** The marker a process was started with; undefined when it has none or its environment is not ours to read. */
export function markerOf(pid: number): string | undefined {
  if (!hasProc) return undefined
  if (buffer.bytes.length === 0) buffer.bytes = Buffer.allocUnsafeSlow(64 << 10)
  let text = readProc(pid, 'environ', buffer.bytes)
  // A full buffer means there may be more: rare, so the large one is not kept.
  if (text?.length === buffer.bytes.length) {
    text = readProc(pid, 'environ', Buffer.allocUnsafe(LARGEST_ENVIRONMENT))
  }
  return text === undefined ? undefined : markerIn(text)
}

/** Pure part: the variables are separated by NUL. */
export function markerIn(environ: string): string | undefined {
  const head = `${MARKER_NAME}=`
  const at = environ.startsWith(head) ? 0 : environ.indexOf(`\0${head}`) + 1
  if (at === 0 && !environ.startsWith(head)) return undefined
  const from = at + head.length
  const to = environ.indexOf('\0', from)
  return environ.slice(from, to === -1 ? undefined : to)
}

/** True for the instance's own marker and those of its children. */
export function isOfInstance(marker: string | undefined, instance: string): boolean {
  return marker !== undefined && (marker === instance || marker.startsWith(`${instance}.`))
}
