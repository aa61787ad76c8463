// Names that clients send unasked (`claude-sonnet-4-20250514`, `gpt-4o-mini`) → the newest model of that family. Pure.
import { compareVersions, type ModelName, parseModelName } from './name.ts'
import { pickVariant, type Variant, type Wish } from './variant.ts'

export type FamilyMatch =
  /** The name belongs to none of the families. */
  | { readonly type: 'unknown-family' }
  /** It does, but the catalogue has no member of that family. */
  | { readonly type: 'none-listed' }
  | { readonly type: 'member'; readonly id: string }

/** Families by the words that make them, the narrower one first. */
const FAMILIES: readonly (readonly string[])[] = [
  ['claude', 'sonnet'],
  ['claude', 'opus'],
  ['claude', 'haiku'],
  ['claude', 'fable'],
  ['claude'],
  ['gpt', 'codex'],
  ['gpt'],
]

/**
 * The newest member of the name's family, in the variant that the request asks for. Members with the very words of the
 * name come first (`gpt-4o-mini` → `gpt-5.4-mini`), then plain ones, then any: a special edition is not chosen for a
 * client that did not name it while there is a plain one.
 */
export function matchFamily(asked: string, variants: readonly Variant[], wish: Wish): FamilyMatch {
  const name = withMaker(parseModelName(asked))
  const family = FAMILIES.find((words) => words.every((word) => name.words.includes(word)))
  if (family === undefined) return { type: 'unknown-family' }
  const members = variants.filter((variant) => belongs(variant.name, family))
  const sets = [
    members.filter((variant) => sameWords(variant.name.words, familiarWords(name, members))),
    members.filter((variant) => sameWords(variant.name.words, family)),
    members,
  ]
  for (const set of sets) {
    const pick = newest(set, name, wish)
    if (pick !== undefined) return { type: 'member', id: pick.id }
  }
  return { type: 'none-listed' }
}

/** Codex sends names without their first word too (`codex-mini-latest`). Source: its model list, 0.171.0. */
function withMaker(name: ModelName): ModelName {
  const isBare = name.words.includes('codex') && !name.words.includes('gpt')
  return isBare ? { ...name, words: [...name.words, 'gpt'].sort() } : name
}

/** A codex model is no plain gpt. */
function belongs(name: ModelName, family: readonly string[]): boolean {
  const codexElsewhere = name.words.includes('codex') && !family.includes('codex')
  return !codexElsewhere && family.every((word) => name.words.includes(word))
}

/** The name's words without those that no member has, such as `4o`. */
function familiarWords(name: ModelName, members: readonly Variant[]): readonly string[] {
  return name.words.filter((word) => members.some((member) => member.name.words.includes(word)))
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word) => b.includes(word))
}

function newest(variants: readonly Variant[], asked: ModelName, wish: Wish): Variant | undefined {
  const versions = variants
    .map((variant) => variant.name.version)
    .sort((a, b) => compareVersions(b, a))
  for (const version of versions) {
    const same = variants.filter((entry) => compareVersions(entry.name.version, version) === 0)
    const pick = pickVariant(same, asked, wish)
    if (pick !== undefined) return pick
  }
  return undefined
}
