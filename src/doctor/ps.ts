// Is `ps` there?
import { hasPs } from '../process/descendants.ts'
import type { Finding } from './finding.ts'

export const ps: Finding = {
  name: 'ps',
  why: 'helpers that left their process group are found with it where there is no /proc',
  check: async () => {
    if (await hasPs()) return { at: 'good', text: 'found' }
    return process.platform === 'linux'
      ? { at: 'good', text: 'not found; /proc is used instead' }
      : { at: 'warning', text: 'not found', fix: 'put ps on the PATH' }
  },
}
