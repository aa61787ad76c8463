// Is this Node new enough?
import type { Finding, Result } from './finding.ts'

const NEEDED = [20, 19] as const

/** Judges a version such as `20.19.0`. Pure. */
export function judgeNode(version: string): Result {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const good = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
  const text = `Node ${version}`
  return good
    ? { at: 'good', text }
    : { at: 'bad', text, fix: `install Node ${NEEDED.join('.')} or newer` }
}

export const nodeVersion: Finding = {
  name: 'node',
  why: 'older versions lack functions the service uses',
  check: async () => judgeNode(process.versions.node),
}
