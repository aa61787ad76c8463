// Where commands write, and in which colours. Colours only on a terminal that wants them.
import { isErrno } from '../lib/errno.ts'

export interface Console {
  /** One line on standard output. */
  line(text?: string): void
  /** Text on standard output as it is. */
  write(text: string): void
  /** One line on standard error. */
  note(text: string): void
  readonly paint: Paint
}

export interface Paint {
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
  strong(text: string): string
  faint(text: string): string
}

type Output = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined }

/** Source: no-color.org; FORCE_COLOR as Node reads it. */
export function wantsColour(env: NodeJS.ProcessEnv, isTty: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0'
  return isTty && env.TERM !== 'dumb'
}

export function paint(colour: boolean): Paint {
  const sgr = (code: number) => (text: string) =>
    colour ? `\u001b[${code}m${text}\u001b[0m` : text
  return { good: sgr(32), bad: sgr(31), warn: sgr(33), strong: sgr(1), faint: sgr(2) }
}

export function createConsole(stdout: Output, stderr: Output, env: NodeJS.ProcessEnv): Console {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: unknown) => {
      // Whoever read our output has gone (`| head`): there is nobody left to tell.
      if (!isErrno(error, 'EPIPE', 'ECONNRESET', 'EIO')) throw error
    })
  }
  return {
    line: (text = '') => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    note: (text) => void stderr.write(`${text}\n`),
    paint: paint(wantsColour(env, stdout.isTTY === true)),
  }
}
