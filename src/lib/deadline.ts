// Deadlines for promises that others must settle.

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/** Resolves like `promise`, or rejects with DeadlineError naming `label` after `ms`. The timer never keeps the process up. */
export async function withDeadline<T>(label: string, ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DeadlineError(`${label}: not done within ${ms} ms`))
    }, ms)
    timer.unref()
  })
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves with `promise`, after `ms` at the latest. The timer never keeps the process up. */
export async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms).unref()
  })
  await Promise.race([promise, patience])
  clearTimeout(timer)
}
