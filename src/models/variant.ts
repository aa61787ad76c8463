// Picks one of a model's variants from what the client wants. Pure.
import type { Effort } from '../core/turn.ts'
import { EFFORTS, type EffortWord, type ModelName, parseModelName } from './name.ts'

export interface Wish {
  readonly effort: Effort | undefined
  readonly thinking: boolean | undefined
}

export interface Variant {
  readonly id: string
  readonly name: ModelName
}

export function variantOf(id: string): Variant {
  return { id, name: parseModelName(id) }
}

/**
 * The best of the variants, undefined when there is none but fast ones and nobody asked for speed (it costs more).
 * What the name says beats what the request says; thinking counts more than effort. A client that says nothing gets
 * no thinking and medium effort, which is what an id without such words stands for.
 */
export function pickVariant(
  variants: readonly Variant[],
  asked: ModelName,
  wish: Wish,
): Variant | undefined {
  const thinking = asked.thinking ?? wish.thinking ?? false
  const effort = rank(asked.effort ?? wish.effort)
  const scored = variants
    .filter((variant) => asked.fast || !variant.name.fast)
    .map((variant) => {
      const distance = rank(variant.name.effort) - effort
      const score = [
        Number(variant.name.fast !== asked.fast),
        Number((variant.name.thinking ?? false) !== thinking),
        Math.abs(distance),
        // Of two equally near efforts the lower one.
        Number(distance > 0),
        Number(variant.name.long !== asked.long),
        // `gpt-5.2` before `gpt-5.2-medium`.
        Number(variant.name.effort !== asked.effort),
      ]
      return { variant, score }
    })
    .sort((a, b) => compareScores(a.score, b.score))
  return scored[0]?.variant
}

function rank(effort: EffortWord | undefined): number {
  return EFFORTS.indexOf(effort ?? 'medium')
}

function compareScores(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
