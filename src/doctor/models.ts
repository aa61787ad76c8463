// Does the CLI list models? It needs login and network, so this is the best proof without a prompt.
import { parseModelList } from '../models/list.ts'
import type { Finding } from './finding.ts'
import { complaint } from './patient.ts'

export const models: Finding = {
  name: 'models',
  why: 'names that clients send are matched against this list',
  check: async (patient) => {
    if ('missing' in (await patient.cli())) return { at: 'skipped', text: 'no CLI' }
    const output = await patient.ask(['models'])
    const { length } = parseModelList(output.stdout)
    if (output.ok && length > 0) return { at: 'good', text: `${length} models` }
    const why = output.ok ? 'no model listed' : output.reason
    return {
      at: 'bad',
      text: `${why}: ${complaint(output)}`,
      fix: 'check login and network: agent models must print a list',
    }
  },
}
