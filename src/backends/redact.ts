// Takes secrets and personal paths out of text that came from Cursor before anybody is shown it. Pure.

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bcrsr_[A-Za-z0-9_-]+/g, '[key]'],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\bkey_[A-Za-z0-9]{16,}/g, '[key]'],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]+/gi, 'Bearer [key]'],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+/g, '[token]'],
  [/(--(?:api-key|auth-token)[= ])\S+/g, '$1[key]'],
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1[key]@'],
  [/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g, '[email]'],
]

/** A home folder of any user, with its name. */
const HOMES = /(?:\/home|\/Users|[A-Za-z]:\\Users)[/\\][^\s/\\:'"`]+|\/root(?=\/)/g

/** `home` is the service's own home folder, '' when unknown; it becomes `~`, as other home folders do. */
export function redact(text: string, home: string): string {
  let clean = home.length > 1 ? text.replaceAll(home, '~') : text
  clean = clean.replaceAll(HOMES, '~')
  for (const [pattern, replacement] of SECRETS) clean = clean.replaceAll(pattern, replacement)
  return clean
}
