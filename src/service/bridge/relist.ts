// The client's tools have grown in the middle of a conversation: does Cursor ask for the new list?
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientTools } from '../../core/client-tools.ts'
import type { ToolDefinition } from '../../core/turn.ts'

/** Assumed: a CLI that lists anew does so at once. Measured with the demo agent: 2 to 10 ms. */
const RELIST_MS = 500
const LOOK_MS = 5

/** False where it does not: then only a fresh session knows the new tools. */
export async function offerAnew(
  tools: ClientTools,
  token: string,
  list: readonly ToolDefinition[],
): Promise<boolean> {
  tools.offer(token, list)
  for (let waitedMs = 0; waitedMs < RELIST_MS; waitedMs += LOOK_MS) {
    if (tools.isUpToDate(token)) return true
    await delay(LOOK_MS)
  }
  return tools.isUpToDate(token)
}
