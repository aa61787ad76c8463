// What stands for something in a step's texts: $PROMPT, $CWD, $SESSION, $TOOLS, $RESULT. Knows no effect.
import { isObject, type JsonObject, stringAt } from '../lib/json.ts'
import type { Step } from './script.ts'
import type { Stage } from './stage.ts'

/** The text of a step's field, '' without one. */
export function filled(step: Step, key: string, stage: Stage): string {
  return fill(stringAt(step, key) ?? '', stage)
}

/** The object of a step's field, an empty one without it. */
export function filledObject(step: Step, key: string, stage: Stage): JsonObject {
  const value = filledDeep(step[key], stage)
  return isObject(value) ? value : {}
}

function fill(text: string, { prompt, cwd, acp, results, mcp }: Stage): string {
  // One pass: a prompt that itself says $CWD is text.
  return text.replaceAll(/\$(?:PROMPT|CWD|SESSION|TOOLS|RESULT(\d*))/gu, (name, digits) => {
    switch (name) {
      case '$PROMPT':
        return prompt
      case '$CWD':
        return cwd
      case '$SESSION':
        return acp?.sessionId ?? ''
      case '$TOOLS':
        return (mcp?.list() ?? []).map((tool) => tool.name).join(' ')
      default:
        return (digits === '' ? results.at(-1) : results[Number(digits) - 1]) ?? ''
    }
  })
}

/** Every text in the value, keys excepted. */
export function filledDeep(value: unknown, stage: Stage): unknown {
  if (typeof value === 'string') return fill(value, stage)
  if (Array.isArray(value)) return value.map((entry: unknown) => filledDeep(entry, stage))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, filledDeep(entry, stage)]),
  )
}
