// Errors of the operating system, told apart by their code.

/** True for an error with a system code; with codes given, only for one of those. */
export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return false
  return codes.length === 0 || codes.includes(error.code)
}
