// Short questions to a running service over HTTP.

export type Inquiry =
  | { readonly reached: true; readonly status: number; readonly body: string }
  | { readonly reached: false; readonly reason: string }

const ANSWER_MS = 5_000

/** GET with the key, if any. Never rejects: a service that cannot be reached is an answer too. */
export async function get(
  url: string,
  path: string,
  key: string | null,
  timeoutMs = ANSWER_MS,
): Promise<Inquiry> {
  const abort = new AbortController()
  // Not AbortSignal.timeout: its timer does not keep the process up, and Node's fetch lets go of a socket that the other
  // side closed at once, so the process could end in the middle of the question (seen on Node 20).
  const timer = setTimeout(() => {
    abort.abort(new Error(`no answer within ${timeoutMs / 1000} s`))
  }, timeoutMs)
  try {
    const response = await fetch(reachable(url) + path, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      signal: abort.signal,
    })
    return { reached: true, status: response.status, body: await response.text() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { cause } = error
    return { reached: false, reason: cause instanceof Error ? cause.message : error.message }
  } finally {
    clearTimeout(timer)
  }
}

/** An address bound to all interfaces is asked over loopback. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** Nested facts as lines: `pool.active` → `2`. Empty parts are left out. */
export function flatten(value: unknown, prefix = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) {
    return prefix === '' || value === undefined || value === ''
      ? []
      : [[prefix, JSON.stringify(value)]]
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    flatten(inner, prefix === '' ? key : `${prefix}.${key}`),
  )
}
