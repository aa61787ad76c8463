// Pieces of the demo agent's scripts that several tests use. Format: docs/demo-agent.md.

import { OVER_ACP } from './service.ts'

export type Step = Readonly<Record<string, unknown>>

export const OK: Step = { result: true }
export const delta = (text: string): Step => ({ delta: text })

/** The run for questions made with `unique(name)`; begins with `init`. */
export const run = (name: string, ...steps: readonly Step[]) => ({
  match: `^${name} #`,
  steps: [{ init: true }, ...steps],
})

/** An assistant line with neither timestamp nor model call id. */
export const bareText = (text: string): { readonly line: Step } => ({
  line: { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } },
})

/** One line of the agent's output, by hand: a fragment of text, as it is printed, or over ACP as it is sent. */
export const textLine = (text: string): string =>
  JSON.stringify(
    OVER_ACP
      ? {
          jsonrpc: '2.0',
          method: 'session/update',
          params: {
            sessionId: '$SESSION',
            update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
          },
        }
      : { ...bareText(text).line, timestamp_ms: 1 },
  )

/** A read tool's start and end. */
export const readTool = (id: string, path = 'a'): readonly [Step, Step] => {
  const call = { kind: 'readToolCall', id, args: { path } }
  const result = { success: { content: 'what the file says', totalLines: 1 } }
  return [{ toolStart: call }, { toolEnd: { ...call, result } }]
}
