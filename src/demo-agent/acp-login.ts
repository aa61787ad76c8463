// The login as ACP mode asks for it: the method `authenticate`, and the refusals of everything that needs one.
import type { JsonObject } from '../lib/json.ts'
import { invalid } from './acp-session.ts'
import { RpcError } from './acp-wire.ts'
import { lastValue } from './argv.ts'
import { findFolders, requireLogin } from './home.ts'
import type { Program } from './print.ts'
import { Refused } from './refusal.ts'

export function authenticate({ settings }: Program): JsonObject {
  if (settings.login !== 'missing') return {}
  // Source: a probe of 2026: the URL of the browser flow in `data.message`.
  throw invalid('Invalid params', { message: 'Open https://cursor.com/loginDeepControl?demo=1' })
}

/** @throws RpcError where nobody is logged in, or the key is no good. */
export function requireAcpLogin(program: Program): void {
  const { settings, env, arguments: given } = program
  const folders = findFolders(env, lastValue(given, 'data-dir'))
  const apiKeyFlag = lastValue(given, 'api-key')
  const tokenFlag = lastValue(given, 'auth-token')
  try {
    requireLogin({ login: settings.login, env, folders, apiKeyFlag, tokenFlag })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (!/invalid/iu.test(error.message)) throw new RpcError(-32000, 'Authentication required')
    const data = { message: 'Failed to initialize session services' }
    throw new RpcError(-32603, 'Internal error', data)
  }
}
