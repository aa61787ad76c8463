// What the demo agent plays for the benchmark, chosen by the first word of the prompt.

const words = Array.from({ length: 10 }, (_, index) => ({ delta: ` word ${index}` }))
const opening = [{ init: true }, { echo: true }]
const closing = [{ recap: true }, { result: true }]

function run(match: string, ...steps: readonly object[]): object {
  return { match: match === '' ? '' : `^${match}\\b`, steps: [...opening, ...steps, ...closing] }
}

/** Stamped events a stream has, at 100 a second. */
export const STAMPS = { full: 600, quick: 400 }
export const BURST_SIZE = 20
/** Events of 4,000 characters: 100 MB of text. */
const LARGE = { events: 25_000, size: 4000 }

export function benchScript(quick: boolean): object {
  const stamps = { events: quick ? STAMPS.quick : STAMPS.full, perSecond: 100 }
  // Without the repeats of the whole text at the end: those are single lines as long as the answer, and a measure of
  // memory would only find them.
  const bursts = [100_000, 300_000, 1_000_000].map((events) => ({
    match: `^burst ${events}\\b`,
    steps: [...opening, { burst: { events, size: BURST_SIZE } }, { result: { result: '' } }],
  }))
  return {
    runs: [
      run('short', { delta: '~' }, ...words),
      run('stamps', { stamps }),
      ...bursts,
      run('large', { burst: LARGE }),
      run('endless', { delta: '~' }, { hang: true }),
      // Later turns of a conversation: what is new stands below a heading.
      run('', { delta: '~' }, ...words),
    ],
  }
}

/** An agent that takes no SIGTERM. */
export const DEAF_SCRIPT = {
  runs: [{ steps: [...opening, { ignore: ['SIGTERM'] }, { delta: '~' }, { hang: true }] }],
}
