// Can the configuration be read, and where does it come from?
import type { Finding } from './finding.ts'

export const config: Finding = {
  name: 'config',
  why: 'the service does not start with an unknown or wrong setting',
  check: async ({ loaded, configProblems }) => {
    if (configProblems.length > 0) {
      return {
        at: 'bad',
        text: configProblems.join('; '),
        fix: 'mend the setting where it comes from; config.yaml in the package explains every key',
      }
    }
    const { file, sources } = loaded
    const where = file ?? 'no config file, which is fine'
    const changed = sources.size === 0 ? 'all defaults' : `set: ${[...sources.keys()].join(', ')}`
    return { at: 'good', text: `${where}; ${changed}` }
  },
}
