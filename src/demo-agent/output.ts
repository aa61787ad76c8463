// stdout and stderr with back-pressure. Node's pipes are asynchronous here, so signals are heard while the pipe is full.

let guarded = false
let writes = 0

/** Opens both streams. Dies when the reader is gone. Assumed: so does the CLI; to find out, close its stdout in the middle of an answer. */
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
