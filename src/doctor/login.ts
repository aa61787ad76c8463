// Is somebody signed in?
import { isObject, parseJson, stringAt } from '../lib/json.ts'
import type { Finding } from './finding.ts'
import { complaint } from './patient.ts'

const FIX = 'sign in: agent login (or set CURSOR_API_KEY for the service)'

export const login: Finding = {
  name: 'login',
  why: 'every request fails without one',
  check: async (patient) => {
    if ('missing' in (await patient.cli())) return { at: 'skipped', text: 'no CLI' }
    // Source: `status` ignores keys in the environment (seen with 2026.08); whether a key works, `models` shows.
    if (patient.env.CURSOR_API_KEY || patient.env.CURSOR_AUTH_TOKEN) {
      return { at: 'good', text: 'a key in the environment is used' }
    }
    const output = await patient.ask(['status', '--format', 'json'])
    const status = parseJson(output.stdout)
    if (isObject(status) && typeof status.isAuthenticated === 'boolean') {
      if (status.isAuthenticated) return { at: 'good', text: 'signed in' }
      return { at: 'bad', text: stringAt(status, 'message') ?? 'not signed in', fix: FIX }
    }
    const why = output.ok ? 'its answer was not understood' : output.reason
    return { at: 'warning', text: `status: ${why}: ${complaint(output)}`, fix: FIX }
  },
}
