// The prompt on stdin: everything up to its end, as one text.
import type { Journal } from './journal.ts'

/** Resolves at EOF with all bytes. A broken pipe counts as its end. */
export function readStdin(): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const finish = (): void => resolve(Buffer.concat(chunks))
    process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
    process.stdin.once('end', finish)
    process.stdin.once('close', finish)
    process.stdin.on('error', finish)
  })
}

/** From now on whoever writes to our stdin gets EPIPE. */
export function closeStdin(): void {
  process.stdin.on('error', () => {
    // Closing is all that was wanted; what the other side sees is its own affair.
  })
  process.stdin.destroy()
}

export interface PromptSource {
  readonly words: readonly string[]
  readonly readsStdin: boolean
  readonly stdinClosed: boolean
  readonly journal: Journal
}

/**
 * The prompt, '' when there is none. Source: facts 1.6: words of argv joined by spaces; with none, stdin to its end; with
 * words and an open pipe the end of the pipe is waited for all the same. Assumed: its text is then not used.
 */
export async function takePrompt(source: PromptSource): Promise<string> {
  const fromArgv = source.words.join(' ')
  const reads = source.readsStdin && !source.stdinClosed && !process.stdin.isTTY
  const fromStdin = reads ? await readStdin() : Buffer.alloc(0)
  const prompt = source.words.length > 0 ? fromArgv : fromStdin.toString('utf8')
  if (prompt !== '') source.journal.prompt(prompt, Buffer.byteLength(prompt))
  return prompt
}
