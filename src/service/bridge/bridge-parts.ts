// What a bridge run is connected to.
import type { ClientToolCall, ClientToolResult, ClientTools } from '../../core/client-tools.ts'
import type { Failure, Finish, ToolStart } from '../../core/events.ts'
import type { CallId } from '../../core/ids.ts'
import type { Kept } from '../../core/job.ts'
import type { Run } from '../../core/run.ts'
import type { DeskLimits } from './call-desk.ts'
import type { Leg } from './leg.ts'

export interface BridgeParts extends DeskLimits {
  readonly tools: ClientTools
  readonly newCallId: () => CallId
  /** The answer for a call that must not go out to the client. */
  readonly correct: (call: ClientToolCall, leg: Leg, token: string) => ClientToolResult | undefined
  /** How the run ended is checked: what the client is told instead, or that Cursor is to be asked once more. */
  readonly judge: (
    finish: Finish,
    leg: Leg,
    token: string | undefined,
  ) => Failure | 'again' | undefined
  /** Asks Cursor once more, going on from what the run left behind. */
  readonly again: (kept: Kept | undefined) => Run
  readonly forget: (kept: Kept) => void
}

/** The call as the client sees it. */
export function startOf(callId: CallId, { name, arguments: input }: ClientToolCall): ToolStart {
  return { type: 'tool-start', callId, kind: 'mcp', host: 'client', name, input, title: '' }
}
