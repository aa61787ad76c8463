// The kinds of requests of the soak: what the agent does, what the client does, and which endings are right.

export interface Kind {
  readonly name: string
  /** How many of a hundred requests. */
  readonly share: number
  readonly steps: readonly object[]
  /** The client leaves so long after the request, at random within it; undefined: it reads to the end. */
  readonly leavesWithinMs?: number
  readonly ends: readonly Ending[]
}

export type Ending = 'answered' | 'failed' | 'left'

const opening = [{ init: true }, { echo: true }]
const closing = [{ recap: true }, { result: true }]
const answer = [...opening, { delta: 'some ' }, { delta: 'words' }, ...closing]
const helper = (holdStdout: boolean): object => ({ grandchild: { ignoreTerm: true, holdStdout } })

export const KINDS: readonly Kind[] = [
  { name: 'ok', share: 60, steps: answer, ends: ['answered'] },
  {
    name: 'failing',
    share: 6,
    steps: [{ stderr: 'Error: [internal] it broke\n' }, { exit: 1 }],
    ends: ['failed'],
  },
  {
    name: 'broken',
    share: 5,
    steps: [...opening, { delta: 'half' }, { signal: 'SIGSEGV' }],
    ends: ['failed'],
  },
  {
    name: 'silent',
    share: 0.8,
    steps: [...opening, { delta: 'then' }, { hang: true }],
    ends: ['failed'],
  },
  {
    name: 'mute',
    share: 0.4,
    steps: [{ ignore: ['SIGTERM'] }, { hang: true }],
    ends: ['failed'],
  },
  { name: 'staying', share: 4, steps: [...answer, { noExit: true }], ends: ['answered'] },
  {
    name: 'deaf',
    share: 4,
    steps: [{ ignore: ['SIGTERM'] }, ...answer, { noExit: true }],
    ends: ['answered'],
  },
  {
    name: 'helper',
    share: 3,
    steps: [...opening, helper(true), ...answer.slice(2)],
    ends: ['answered'],
  },
  {
    name: 'left',
    share: 10,
    steps: [...opening, { delta: 'a' }, { sleep: 3000 }, ...closing],
    leavesWithinMs: 300,
    ends: ['left'],
  },
  {
    name: 'left-deaf',
    share: 4,
    steps: [{ ignore: ['SIGTERM'] }, helper(false), ...opening, { delta: 'a' }, { hang: true }],
    leavesWithinMs: 300,
    ends: ['left'],
  },
  { name: 'hasty', share: 3, steps: answer, leavesWithinMs: 20, ends: ['left', 'answered'] },
]

export const SOAK_SCRIPT = {
  runs: KINDS.map(({ name, steps }) => ({ match: `^${name} `, steps })),
}

/** A kind by its share; `at` from 0 to 1. */
export function kindAt(at: number): Kind {
  let left = at * KINDS.reduce((total, { share }) => total + share, 0)
  for (const kind of KINDS) {
    left -= kind.share
    if (left < 0) return kind
  }
  return KINDS[0] ?? unreachable()
}

function unreachable(): never {
  throw new Error('there are kinds')
}
