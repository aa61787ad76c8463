// What a child gets to see of our environment: an allow-list, so that no secret of the service reaches an agent. Pure.
import { MARKER_NAME } from './marker.ts'

/** Compared in capitals: Windows keeps `Path`, proxies come in both cases. */
const ALLOWED = new Set(
  [
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TMPDIR TMP TEMP TZ',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_USE_ENV_PROXY',
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR',
    // The login: a key, a token, or a keychain that is asked over the session bus.
    'CURSOR_API_KEY CURSOR_AUTH_TOKEN CURSOR_API_ENDPOINT CURSOR_SKIP_KEYCHAIN',
    'DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK',
    'CURSOR_CONFIG_DIR CURSOR_DATA_DIR',
    // Windows programs do not start without these.
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS USERNAME USERPROFILE HOMEDRIVE HOMEPATH',
    'APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PUBLIC',
    'NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE',
  ].flatMap((names) => names.split(' ')),
)
const ALLOWED_HEADS = ['LC_', 'XDG_', 'CURSOR_ADAPTER_DEMO_']

/** An empty value counts as a (bad) login. Source: cursor-agent observed in 2026. */
const NOT_EMPTY = ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN']
/** The service's own access key: never a child's business, not even when a setting names it. */
const OWN_KEY = 'CURSOR_ADAPTER_API_KEY'
/** Our own MCP endpoint is on loopback and must never be asked for through a proxy. */
const NEVER_PROXIED = ['127.0.0.1', '::1', 'localhost']

/**
 * The child's complete environment: what the allow-list takes from `base`, then `extra` (settings and the backend's own
 * variables), then what must hold in any case. `instance` becomes the marker by which the sweep knows our processes.
 */
export function childEnvironment(
  base: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
  instance: string,
): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && isAllowed(name)) result[name] = value
  }
  // A login must never open a browser on the machine the service runs on.
  Object.assign(result, { NO_OPEN_BROWSER: '1', BROWSER: 'true' }, extra)
  for (const name of NOT_EMPTY) if (result[name]?.trim() === '') delete result[name]
  delete result[OWN_KEY]
  const noProxy = withLoopback([result.NO_PROXY, result.no_proxy])
  return { ...result, NO_PROXY: noProxy, no_proxy: noProxy, [MARKER_NAME]: instance }
}

function isAllowed(name: string): boolean {
  const capitals = name.toUpperCase()
  return ALLOWED.has(capitals) || ALLOWED_HEADS.some((head) => capitals.startsWith(head))
}

function withLoopback(lists: readonly (string | undefined)[]): string {
  const named = lists.flatMap((list) => (list ?? '').split(',')).map((host) => host.trim())
  return [...new Set([...named, ...NEVER_PROXIED])].filter((host) => host !== '').join(',')
}
