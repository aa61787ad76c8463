// What is known of a model by its name alone: who made it, how much it can read. Pure.
import { parseModelName } from './name.ts'

export type Owner =
  | 'anthropic'
  | 'openai'
  | 'google'
  | 'xai'
  | 'moonshot'
  | 'zhipu'
  | 'meta'
  | 'cursor'

export interface ModelFacts {
  readonly owner: Owner
  /** Tokens of context, undefined where Cursor decides per run (Auto) or nothing is known. */
  readonly contextWindow: number | undefined
}

interface FactRow extends ModelFacts {
  readonly word: string
}

// Owners: the families' makers. Windows: what Cursor serves, not what the maker sells.
// Source: variant strings that Cursor's server offers, e.g. `claude-opus-5[…,context=300k,…]` and Grok 4.7 at 256k
// (cursor-agent 2026.10 over ACP). Assumed: all other windows, set to the smallest that Cursor was seen to offer for the
// maker; too small only makes a client compact early. To find out: read `context` in a live ACP session's model list.
const ROWS: readonly FactRow[] = [
  { word: 'cursor', owner: 'cursor', contextWindow: 200_000 },
  { word: 'composer', owner: 'cursor', contextWindow: 200_000 },
  { word: 'claude', owner: 'anthropic', contextWindow: 200_000 },
  { word: 'gpt', owner: 'openai', contextWindow: 272_000 },
  { word: 'codex', owner: 'openai', contextWindow: 272_000 },
  { word: 'gemini', owner: 'google', contextWindow: 200_000 },
  { word: 'grok', owner: 'xai', contextWindow: 256_000 },
  { word: 'kimi', owner: 'moonshot', contextWindow: 200_000 },
  { word: 'glm', owner: 'zhipu', contextWindow: 200_000 },
  // Assumed: Muse Spark is Meta's.
  { word: 'muse', owner: 'meta', contextWindow: 200_000 },
]

const LONG_CONTEXT = 1_000_000

/** Facts of a listed model; an unknown family counts as Cursor's own, with an unknown window. */
export function modelFacts(id: string): ModelFacts {
  const name = parseModelName(id)
  const row = ROWS.find((entry) => name.words.includes(entry.word))
  if (row === undefined) {
    const openai = name.words.some((word) => /^o\d$/.test(word))
    return { owner: openai ? 'openai' : 'cursor', contextWindow: openai ? 200_000 : undefined }
  }
  return { owner: row.owner, contextWindow: name.long ? LONG_CONTEXT : row.contextWindow }
}
