// Runs that wait for tool results of their client: found by the ids of their calls, resumed only on proof. Holds digests and
// the arguments of open calls; a parked run that is over is forgotten at once.
import type { ProfileKey, SessionId } from '../core/ids.ts'
import type { CancelCause } from '../core/run.ts'
import type { Json, Message, ToolDefinition } from '../core/turn.ts'
import { answeredCalls, exactResults, type Results } from './results.ts'
import { answeredAsSent, type Chain, type Transcript } from './transcript.ts'

export interface Parkable {
  cancel(cause: CancelCause): void
  /** Resolves when it is over and its child is gone or idle. */
  readonly settled: Promise<void>
}

/** What must be the same for a request to go on in it. */
export interface ParkedAt {
  readonly key: SessionId | undefined
  /** Digest of the client's credential. */
  readonly credential: string
  /** Of the launch profile without its tools. */
  readonly profile: ProfileKey
}

export interface Parked<Run extends Parkable> extends ParkedAt {
  readonly run: Run
  /** The transcript with the reply that holds the calls. */
  readonly chain: Chain
  /** Arguments by the ids that the client was given. */
  readonly calls: ReadonlyMap<string, Json>
  readonly tools: readonly ToolDefinition[]
}

export interface Request extends ParkedAt {
  readonly messages: readonly Message[]
  readonly transcript: Transcript
  readonly tools: readonly ToolDefinition[]
}

export type Match<Run extends Parkable> =
  /** Taken out: it is the caller's from now on. */
  | { readonly at: 'resumed'; readonly parked: Parked<Run>; readonly results: Results }
  /** The request does not go on where these runs wait; they are of no use any more. */
  | { readonly at: 'afresh'; readonly useless: readonly Run[] }

export class ParkedRuns<Run extends Parkable> {
  readonly #timeoutMs: number
  readonly #parked = new Map<Parked<Run>, NodeJS.Timeout>()

  /** `timeoutMs`: age at which a run is ended. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  get size(): number {
    return this.#parked.size
  }

  put(parked: Parked<Run>): void {
    const timer = setTimeout(() => parked.run.cancel('forgotten'), this.#timeoutMs).unref()
    this.#parked.set(parked, timer)
    void parked.run.settled.then(() => this.#remove(parked))
  }

  /** The run that waits for a result among these messages, whether they prove to go on in it or not. */
  waitingFor(messages: readonly Message[], credential: string): Run | undefined {
    const ids = answeredCalls(messages)
    return this.#all({ credential }).find(({ calls }) => ids.some((id) => calls.has(id)))?.run
  }

  /** `isOwnTurn`: the request takes its conversation's place; a side request leaves waiting runs alone. */
  match(request: Request, isOwnTurn: boolean): Match<Run> {
    if (!isOwnTurn) return { at: 'afresh', useless: [] }
    const ids = new Set(answeredCalls(request.transcript.fresh))
    const asked = this.#all(request).filter(({ calls }) =>
      [...calls.keys()].some((id) => ids.has(id)),
    )
    const [parked] = asked
    const results = parked === undefined || asked.length > 1 ? undefined : proof(parked, request)
    if (parked !== undefined && results !== undefined) {
      this.#remove(parked)
      return { at: 'resumed', parked, results }
    }
    const same = this.#all(request).filter(({ key }) => key !== undefined && key === request.key)
    const useless = [...new Set([...asked, ...same])]
    for (const one of useless) this.#remove(one)
    return { at: 'afresh', useless: useless.map(({ run }) => run) }
  }

  /** Of one client only: nobody learns of another's. */
  #all({ credential }: Pick<ParkedAt, 'credential'>): readonly Parked<Run>[] {
    return [...this.#parked.keys()].filter((parked) => parked.credential === credential)
  }

  #remove(parked: Parked<Run>): void {
    clearTimeout(this.#parked.get(parked))
    this.#parked.delete(parked)
  }
}

function proof<Run extends Parkable>(parked: Parked<Run>, request: Request): Results | undefined {
  const { calls, key, profile, chain } = parked
  if (key !== request.key || profile !== request.profile) return undefined
  if (!holds(request.tools, parked.tools)) return undefined
  const { transcript, messages } = request
  if (transcript.answered !== chain && answeredAsSent(messages, calls) !== chain) return undefined
  return exactResults(transcript.fresh, new Set(calls.keys()))
}

/** Every old tool is still there as it was; new ones may have come. */
export function holds(tools: readonly ToolDefinition[], old: readonly ToolDefinition[]): boolean {
  if (tools === old) return true
  const now = new Map(tools.map((tool) => [tool.name, JSON.stringify(tool)]))
  return old.every((tool) => now.get(tool.name) === JSON.stringify(tool))
}
