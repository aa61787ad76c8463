// Who is signed in, as far as the demo plays it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Folders } from './folders.ts'
import { Refused } from './refusal.ts'
import type { Login } from './settings.ts'

export type KeySource = 'env' | 'flag' | 'login'

export interface LoginFacts {
  readonly login: Login
  readonly env: NodeJS.ProcessEnv
  readonly folders: Folders
  readonly apiKeyFlag: string | undefined
  readonly tokenFlag: string | undefined
}

/** Source: facts 3.1. */
const REQUIRED =
  "Error: Authentication required. Run 'agent login', pass --api-key/--auth-token, or set CURSOR_API_KEY/CURSOR_AUTH_TOKEN."
const INVALID = 'Error: The provided API key is invalid.'

/** `apiKeySource` of the init line. @throws Refused like the CLI when nobody is signed in or the key is bad. */
export function requireLogin(facts: LoginFacts): KeySource {
  const { env } = facts
  // Source: facts 1.8, an empty CURSOR_API_KEY counts as a key, and as a bad one.
  const keys = [facts.apiKeyFlag, env.CURSOR_API_KEY]
  // Stand-in: there is no server to refuse a key, so one key is known to be bad.
  if (keys.some((key) => key === '' || key === 'crsr_invalid')) throw new Refused(INVALID)
  if (facts.login === 'missing') throw new Refused(REQUIRED)
  if (facts.apiKeyFlag !== undefined || facts.tokenFlag !== undefined) return 'flag'
  if (env.CURSOR_API_KEY !== undefined || env.CURSOR_AUTH_TOKEN) return 'env'
  if (facts.login === 'ok' || hasLoginFile(facts.folders)) return 'login'
  throw new Refused(REQUIRED)
}

export function hasLoginFile(folders: Folders): boolean {
  return [folders.config, folders.login].some((folder) => existsSync(join(folder, 'auth.json')))
}
