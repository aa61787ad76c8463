// Which backend runs a profile. A backend's code is loaded when its first child is launched, never before.
import type { Failure } from '../core/events.ts'
import type { BackendName, LaunchProfile } from '../core/job.ts'
import { type Backend, LaunchFailure } from './backend.ts'

type Load = () => Promise<Backend>

const BACKENDS: Readonly<Record<BackendName, Load | undefined>> = {
  print: async () => (await import('./print/backend.ts')).printBackend,
  acp: async () => (await import('./acp/backend.ts')).acpBackend,
  sdk: undefined,
}

/** The names that can be asked for. */
export const AVAILABLE_BACKENDS: readonly BackendName[] = (['print', 'acp', 'sdk'] as const).filter(
  (name) => BACKENDS[name] !== undefined,
)

/** Its `launch` throws LaunchFailure `invalid-request` for a backend that does not exist yet. */
export function backendFor(profile: Pick<LaunchProfile, 'backend'>): Backend {
  return {
    launch: async (wanted, settings, hooks) => {
      const load = BACKENDS[profile.backend]
      if (load === undefined) throw new LaunchFailure(missing(profile.backend))
      const backend = await load()
      return backend.launch(wanted, settings, hooks)
    },
  }
}

const missing = (name: BackendName): Failure => ({
  type: 'failure',
  code: 'invalid-request',
  message: `The backend "${name}" is not available. Set backend to ${AVAILABLE_BACKENDS.map((one) => `"${one}"`).join(' or ')}.`,
})
