// Which content block is open: flat deltas → open and close steps, for wires whose replies consist of blocks.
// One block is open at a time, each opened one is closed once, and the index grows by one per block.

/** `whole`: a block that is complete when it is opened (a call, a result). */
export type BlockKind = 'text' | 'thinking' | 'whole'

export interface BlockStep {
  readonly step: 'open' | 'close'
  readonly kind: BlockKind
  readonly index: number
}

const NO_STEPS: readonly BlockStep[] = []

/** One reply's blocks. Stateful, single use. */
export class Blocks {
  #open: BlockKind | undefined
  #index = -1

  /** Index of the block that is open, or of the last one; -1 before the first. */
  get index(): number {
    return this.#index
  }

  /** Steps until a delta of `kind` can be written; none when such a block is open already. */
  enter(kind: BlockKind): readonly BlockStep[] {
    return this.#open === kind ? NO_STEPS : this.begin(kind)
  }

  /** Steps to a new block of `kind`, even when one of that kind is open. */
  begin(kind: BlockKind): readonly BlockStep[] {
    const closed = this.close()
    this.#open = kind
    this.#index += 1
    return [...closed, { step: 'open', kind, index: this.#index }]
  }

  /** Closes the open block, if it is of `kind` where one is given. */
  close(kind?: BlockKind): readonly BlockStep[] {
    const open = this.#open
    if (open === undefined || (kind !== undefined && kind !== open)) return NO_STEPS
    this.#open = undefined
    return [{ step: 'close', kind: open, index: this.#index }]
  }
}
