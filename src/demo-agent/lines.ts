// The objects of the CLI's stream, key order as captured, and ids as it makes them. Source: captures of 2026.07 to
// 2026.10 and Cursor's output format page.

export type Line = Readonly<Record<string, unknown>>

export interface InitFacts {
  readonly apiKeySource: string
  readonly cwd: string
  readonly sessionId: string
  /** The display name, not the id. */
  readonly model: string
}

export function initLine(facts: InitFacts): Line {
  return {
    type: 'system',
    subtype: 'init',
    apiKeySource: facts.apiKeySource,
    cwd: facts.cwd,
    session_id: facts.sessionId,
    model: facts.model,
    // Source: captures of 2026.10.01: `default` in every capture, forced or not.
    permissionMode: 'default',
  }
}

export function userLine(text: string, sessionId: string): Line {
  return { type: 'user', message: message('user', text), session_id: sessionId }
}

/** Source: captures of 2026.07 to 2026.10; the two marks tell a delta from a repeat. */
export function assistantLine(
  text: string,
  sessionId: string,
  marks: { readonly modelCallId?: string; readonly timestampMs?: number },
): Line {
  return {
    type: 'assistant',
    message: message('assistant', text),
    session_id: sessionId,
    ...(marks.modelCallId === undefined ? {} : { model_call_id: marks.modelCallId }),
    ...(marks.timestampMs === undefined ? {} : { timestamp_ms: marks.timestampMs }),
  }
}

export function thinkingLine(text: string | undefined, sessionId: string, nowMs: number): Line {
  return text === undefined
    ? { type: 'thinking', subtype: 'completed', session_id: sessionId, timestamp_ms: nowMs }
    : { type: 'thinking', subtype: 'delta', text, session_id: sessionId, timestamp_ms: nowMs }
}

export interface ToolFacts {
  readonly kind: string
  readonly callId: string
  readonly args: unknown
  /** Absent while the call runs. */
  readonly result?: unknown
  readonly startedAtMs: number
  readonly modelCallId: string
  readonly sessionId: string
  readonly nowMs: number
}

export function toolLine(facts: ToolFacts): Line {
  const done = 'result' in facts
  return {
    type: 'tool_call',
    subtype: done ? 'completed' : 'started',
    call_id: facts.callId,
    tool_call: {
      // Source: captures of 2026.07 to 2026.10: on `rejected` the args may be missing.
      [facts.kind]: {
        ...(facts.args === undefined ? {} : { args: facts.args }),
        ...(done ? { result: facts.result } : {}),
      },
      hookAdditionalContexts: [],
      toolCallId: facts.callId,
      // Source: captures of 2026.07 to 2026.10: 64-bit integers are strings.
      startedAtMs: String(facts.startedAtMs),
      ...(done ? { completedAtMs: String(facts.nowMs) } : {}),
    },
    model_call_id: facts.modelCallId,
    session_id: facts.sessionId,
    timestamp_ms: facts.nowMs,
  }
}

export interface ResultFacts {
  readonly durationMs: number
  readonly text: string
  readonly sessionId: string
  readonly requestId: string
  readonly usage: Line | undefined
}

export function resultLine(facts: ResultFacts): Line {
  return {
    type: 'result',
    subtype: 'success',
    duration_ms: facts.durationMs,
    // Source: captures of 2026.10.01: equal in all captures.
    duration_api_ms: facts.durationMs,
    is_error: false,
    result: facts.text,
    session_id: facts.sessionId,
    request_id: facts.requestId,
    ...(facts.usage === undefined ? {} : { usage: facts.usage }),
  }
}

function message(role: string, text: string): Line {
  return { role, content: [{ type: 'text', text }] }
}

// Ids are not from node:crypto: loading it costs more than the rest of the start.

/** A version 4 UUID; unique enough for a demo, not for secrets. */
export function uuid(): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16))
  digits[12] = 4
  digits[16] = 8 + ((digits[16] ?? 0) % 4)
  const hex = digits.map((digit) => digit.toString(16)).join('')
  return [8, 13, 18, 23].reduce((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, hex)
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text)
}
