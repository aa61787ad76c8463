// Which of the client's tools are offered to Cursor, and what the client insists on. Pure.
import type { Mode } from '../core/job.ts'
import type { ToolDefinition, Turn } from '../core/turn.ts'

/**
 * Tools to offer in this mode. In `agent`, `ask` and `plan` Cursor runs tools of its own and nobody could run the
 * client's (Skill, Task, to-do lists and the rest), so none are advertised; in `bridge` the client runs all of them.
 */
export function advertisedTools(turn: Turn, mode: Mode): readonly ToolDefinition[] {
  return mode === 'bridge' && turn.toolChoice.kind !== 'none' ? turn.tools : []
}

/** Words for the tool call that the request forces (`a call of the tool "x"`), undefined when it forces none. */
export function demandedTool(turn: Pick<Turn, 'toolChoice'>): string | undefined {
  const choice = turn.toolChoice
  if (choice.kind === 'required') return 'a tool call'
  if (choice.kind === 'named') return `a call of the tool "${choice.name.slice(0, 128)}"`
  return undefined
}
