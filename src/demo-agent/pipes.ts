// stdin, stdout and stderr. Node's pipes are asynchronous here, so signals are heard while a pipe is full.
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Journal } from './life.ts'

let guarded = false
let writes = 0

/**
 * Opens both streams. Dies when the reader is gone. Assumed: so does the CLI; to find out, close its stdout in the
 * middle of an answer.
 */
export function prepareOutput(): void {
  if (guarded) return
  guarded = true
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error
      process.exit(1)
    })
  }
}

/** Hands `data` to stdout; when the pipe is full the promise resolves once it has been drained. */
export function write(data: string | Uint8Array): Promise<void> | undefined {
  prepareOutput()
  const accepted = process.stdout.write(data)
  if (!accepted) return drained()
  // A fast reader never fills the pipe; timers, signals and pipe errors must have their turn all the same.
  writes += 1
  return writes % 256 === 0 ? new Promise((resolve) => void setImmediate(resolve)) : undefined
}

/** The same, but resolves when the bytes have been taken by the pipe. */
export function writeThrough(data: string | Uint8Array): Promise<void> {
  prepareOutput()
  return new Promise((resolve) => {
    process.stdout.write(data, () => resolve())
  })
}

export function writeError(text: string): Promise<void> {
  prepareOutput()
  return new Promise((resolve) => {
    process.stderr.write(text, () => resolve())
  })
}

/** Resolves when everything written so far was taken by the pipe. */
export async function flush(): Promise<void> {
  if (!guarded) return
  if (process.stdout.writableLength > 0) await writeThrough('')
  if (process.stderr.writableLength > 0) await writeError('')
}

function drained(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('drain', resolve)
  })
}

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
  // Destroying process.stdin would not do: libuv never closes the descriptors 0 to 2.
  closeSync(0)
  // Descriptor 0 must not be given to the next file that is opened.
  openSync(devNull, 'r')
}

export interface PromptSource {
  readonly words: readonly string[]
  readonly readsStdin: boolean
  readonly stdinClosed: boolean
  readonly journal: Journal
}

/**
 * The prompt, '' when there is none. Source: runs of 2026.01 to 2026.08: words of argv joined by spaces; with none,
 * stdin to its end; with words and an open pipe the end of the pipe is waited for all the same. Assumed: its text is
 * then not used.
 */
export async function takePrompt(source: PromptSource): Promise<string> {
  const fromArgv = source.words.join(' ')
  const reads = source.readsStdin && !source.stdinClosed && !process.stdin.isTTY
  const fromStdin = reads ? await readStdin() : Buffer.alloc(0)
  const prompt = source.words.length > 0 ? fromArgv : fromStdin.toString('utf8')
  if (prompt !== '') source.journal.prompt(prompt, Buffer.byteLength(prompt))
  return prompt
}
