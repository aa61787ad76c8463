// The CURSOR_ADAPTER_DEMO_* variables as one frozen value. Their meaning: docs/demo-agent.md.
import { misuse } from './refusal.ts'

export type Login = 'ok' | 'required' | 'missing'
/** Known bugs and refusals of some versions or systems, off unless named in CURSOR_ADAPTER_DEMO_QUIRKS. */
export type Quirk =
  | 'fixed-temp-name'
  | 'config-race'
  | 'projects-folder'
  | 'no-sandbox'
  | 'force-disabled'
  | 'force-without-trust'
  | 'no-usage'
  | 'bracket-models'
  | 'set-model-auto-only'
  | 'shared-settings'
  | 'no-session-load'
  | 'ignores-mcp'
  | 'no-relist'

export interface Settings {
  readonly script: string | undefined
  readonly journal: string | undefined
  readonly bootMs: number
  readonly thinkMs: number
  readonly lingerMs: number
  readonly paceMs: number
  /** Time `session/new` and `session/load` take. */
  readonly sessionMs: number
  readonly login: Login
  readonly version: string
  readonly modelsFile: string | undefined
  /** False plays a version that takes its prompt from argv only. */
  readonly readsStdin: boolean
  readonly quirks: ReadonlySet<Quirk>
}

const LOGINS: readonly Login[] = ['ok', 'required', 'missing']
const QUIRKS: readonly Quirk[] = [
  'fixed-temp-name',
  'config-race',
  'projects-folder',
  'no-sandbox',
  'force-disabled',
  'force-without-trust',
  'no-usage',
  'bracket-models',
  'set-model-auto-only',
  'shared-settings',
  'no-session-load',
  'ignores-mcp',
  'no-relist',
]

/** @throws Refused (exit 64) naming the variable, its value and what was expected. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const text = (name: string): string | undefined => env[`CURSOR_ADAPTER_DEMO_${name}`] || undefined
  return {
    script: text('SCRIPT'),
    journal: text('JOURNAL'),
    bootMs: milliseconds('BOOT_MS', text('BOOT_MS'), 0),
    thinkMs: milliseconds('THINK_MS', text('THINK_MS'), 0),
    lingerMs: milliseconds('LINGER_MS', text('LINGER_MS'), 0),
    paceMs: milliseconds('PACE_MS', text('PACE_MS'), 15),
    sessionMs: milliseconds('SESSION_MS', text('SESSION_MS'), 0),
    login: oneOf('LOGIN', text('LOGIN') ?? 'ok', LOGINS),
    version: text('VERSION') ?? '2026.10.01-demo000',
    modelsFile: text('MODELS'),
    readsStdin: oneOf('STDIN', text('STDIN') ?? 'read', ['read', 'ignored']) === 'read',
    quirks: new Set(
      (text('QUIRKS') ?? '')
        .split(/[\s,]+/u)
        .filter((name) => name !== '')
        .map((name) => oneOf('QUIRKS', name, QUIRKS)),
    ),
  }
}

function milliseconds(name: string, value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback
  const parsed = Number(value)
  if (!Number.isFinite(parsed) || parsed < 0) {
    throw misuse(`CURSOR_ADAPTER_DEMO_${name} is '${value}', expected milliseconds`)
  }
  return parsed
}

function oneOf<Name extends string>(variable: string, value: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === value)
  if (found !== undefined) return found
  throw misuse(`CURSOR_ADAPTER_DEMO_${variable} has '${value}', expected ${names.join(', ')}`)
}
