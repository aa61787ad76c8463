// Is Cursor's CLI there, and does it say its version?
import type { Finding } from './finding.ts'

export const binary: Finding = {
  name: 'cursor cli',
  why: 'it is the program that does the work',
  check: async (patient) => {
    const facts = await patient.cli()
    if ('missing' in facts) {
      return {
        at: 'bad',
        text: facts.missing,
        fix: "install Cursor's CLI, or set cursor_cli_path to it",
      }
    }
    const settled = { 'version-form': facts.usual }
    if (facts.usual) return { at: 'good', text: `${facts.path}, version ${facts.version}`, settled }
    return {
      at: 'warning',
      text: `${facts.path} names its version '${facts.version}', which is not Cursor's form`,
      fix: 'other products also install a command called agent; set cursor_cli_path if this is one',
      settled,
    }
  },
}
