// Cursor's model list, cached: one fetch at a time, stale on error, an empty list never kept.
import { modelFacts, type Owner } from './facts.ts'
import { parseModelList } from './list.ts'

export interface Model {
  /** Cursor's id, as `--model` takes it. */
  readonly id: string
  /** Display name for people. */
  readonly label: string
  readonly isDefault: boolean
  readonly owner: Owner
  /** Tokens of context; undefined when unknown. */
  readonly contextWindow: number | undefined
}

export interface Catalogue {
  /**
   * The list; at once when one is known (an old one is refreshed in the background), else after the first fetch.
   * Rejects only when no list was ever had and the fetch fails or yields no model.
   */
  get(): Promise<readonly Model[]>
  /** The list as it is known, without any fetch; undefined before the first success. */
  peek(): readonly Model[] | undefined
  /** Fetches now (joins a fetch that is under way). Rejects when that fails; a known list is kept then. */
  refresh(): Promise<readonly Model[]>
}

export interface CatalogueOptions {
  /** Output of `agent models`; rejects when the command failed. The caller bounds its time. */
  readonly list: () => Promise<string>
  /** Age from which a list is refreshed, milliseconds; a failed refresh is tried again after the same time. */
  readonly refreshMs: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

export function createCatalogue(options: CatalogueOptions): Catalogue {
  let known: readonly Model[] | undefined
  let triedAtMs = 0
  let running: Promise<readonly Model[]> | undefined

  const fetchList = async (): Promise<readonly Model[]> => {
    const models = parseModels(await options.list())
    if (models.length === 0) throw new Error('the model list is empty')
    known = models
    return models
  }
  const refresh = (): Promise<readonly Model[]> => {
    if (running !== undefined) return running
    const fetching = fetchList().finally(() => {
      triedAtMs = options.now()
      running = undefined
    })
    running = fetching
    return fetching
  }

  return {
    async get() {
      if (known === undefined) return refresh()
      if (options.now() - triedAtMs >= options.refreshMs) {
        // The old list serves on when this fails; `refresh` tells whoever wants to know.
        void refresh().catch(() => undefined)
      }
      return known
    },
    peek: () => known,
    refresh,
  }
}

function parseModels(output: string): readonly Model[] {
  return parseModelList(output).map(({ id, label, isDefault }) => ({
    id,
    label,
    isDefault,
    ...modelFacts(id),
  }))
}
