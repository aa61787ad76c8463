// Tools that Cursor ran itself, as blocks that clients show and do not run: `server_tool_use` when a call starts, a
// result block with the same id when it ends. Both are whole at once: a call's input is known when it starts, and what
// only its end tells (the old text of an edit) is part of the result's text.

import type { ToolEnd, ToolStart } from '../../core/events.ts'
import type { CallId } from '../../core/ids.ts'
import { sha256 } from '../../lib/digest.ts'
import type { ServerToolResultBlock, ServerToolUseBlock } from './wire.ts'

/**
 * The id of a call's two blocks: 33 characters, the same for the same call in a stream and its repeats.
 * Source: the Messages API wants `^srvtoolu_[a-zA-Z0-9_]+$`, which has no place for the `-` of our own ids.
 */
export function serverToolId(id: CallId): string {
  return `srvtoolu_${sha256(id).slice(0, 24)}`
}

export const serverToolUseBlock = (call: ToolStart, input: unknown): ServerToolUseBlock => ({
  type: 'server_tool_use',
  id: serverToolId(call.callId),
  name: call.name,
  input,
  caller: { type: 'direct' },
})

/**
 * What came out of a call, as `stdout`; `return_code` 0 exactly when it went well. The shell has the result block of
 * the API's own shell tool; every other tool has that of code execution, the one whose content is free text.
 */
export function serverToolResultBlock(call: ToolStart, end: ToolEnd): ServerToolResultBlock {
  const output = { stdout: end.summary, stderr: '', return_code: returnCode(end) }
  const id = serverToolId(call.callId)
  return call.kind === 'shell'
    ? {
        type: 'bash_code_execution_tool_result',
        tool_use_id: id,
        content: { type: 'bash_code_execution_result', ...output, content: [] },
      }
    : {
        type: 'code_execution_tool_result',
        tool_use_id: id,
        content: { type: 'code_execution_result', ...output, content: [] },
      }
}

function returnCode(end: ToolEnd): number {
  if (!end.isError) return 0
  return end.exitCode === undefined || end.exitCode === 0 ? 1 : end.exitCode
}
