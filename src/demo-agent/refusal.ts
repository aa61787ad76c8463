// How the demo agent says no: a sentence, a stream and an exit code, thrown by checks and printed by main.ts.

/** Ends the program with `text` on stderr (or stdout) and `exitCode`. Never escapes main.ts. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly exitCode: number
  readonly stream: 'stdout' | 'stderr'
  constructor(text: string, exitCode = 1, stream: 'stdout' | 'stderr' = 'stderr') {
    super(text)
    this.exitCode = exitCode
    this.stream = stream
  }
}

/** Exit code for mistakes in the demo agent's own set-up (script, variables): never one of the CLI's. */
export const MISUSE = 64

export function misuse(text: string): Refused {
  return new Refused(`demo agent: ${text}`, MISUSE)
}
