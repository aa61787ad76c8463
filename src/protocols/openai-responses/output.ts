// The output of one response as it grows: which item is open, which are done. Items never interleave, each is opened and
// closed once, and indexes grow by one. Knows no frames: stream and whole reply both read it.

import { assertNever, type ToolEnd, type ToolStart } from '../../core/events.ts'
import type { CallId } from '../../core/ids.ts'
import type { CallForm, Json, ResponsesForm } from '../../core/turn.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Shown } from '../shown.ts'
import { FREE_TEXT } from './tools.ts'
import {
  type CustomCallItem,
  ENCRYPTED,
  type FunctionCallItem,
  type McpCallItem,
  type MessageItem,
  type OutputItem,
  type ReasoningItem,
  SERVER_LABEL,
  type TextPart,
} from './wire.ts'

export type TextKind = 'message' | 'reasoning'
export type CallItem = FunctionCallItem | CustomCallItem | McpCallItem

export type OutputStep =
  | { readonly step: 'open'; readonly kind: TextKind; readonly index: number; readonly id: string }
  | { readonly step: 'delta'; readonly kind: TextKind; readonly text: string }
  | {
      readonly step: 'close'
      readonly kind: TextKind
      readonly index: number
      readonly item: MessageItem | ReasoningItem
      readonly text: string
    }
  /** A call, complete at once. */
  | { readonly step: 'whole'; readonly index: number; readonly item: CallItem }

const NO_STEPS: readonly OutputStep[] = []

interface OpenItem {
  readonly kind: TextKind
  readonly id: string
  readonly pieces: string[]
}

/** One reply's output. Stateful, single use, O(1) per delta. */
export class Output {
  readonly #replyId: string
  readonly #form: ResponsesForm | undefined
  readonly #done: OutputItem[] = []
  #open: OpenItem | undefined
  #answered = false

  constructor(replyId: string, form: ResponsesForm | undefined) {
    this.#replyId = replyId
    this.#form = form
  }

  /** The item that takes deltas now. */
  get open(): TextKind | undefined {
    return this.#open?.kind
  }

  /** Items that are done, oldest first. */
  get items(): OutputItem[] {
    return [...this.#done]
  }

  add(shown: Shown): readonly OutputStep[] {
    switch (shown.type) {
      case 'text-delta':
        this.#answered = true
        return this.#text('message', shown.text)
      case 'thinking-delta':
        return this.#text('reasoning', shown.text)
      case 'thinking-end':
        return this.#open?.kind === 'reasoning' ? this.#close('completed') : NO_STEPS
      case 'client-call':
        this.#answered = true
        return this.#whole(this.#clientCall(shown.call))
      case 'cursor-call':
        // What was said before the call is complete while the tool runs.
        return this.#close('completed')
      case 'cursor-result':
        return this.#whole(this.#mcpCall(shown.call, shown.end))
      case 'finish': {
        // Clients read the text of the first message unasked.
        const empty = this.#answered ? NO_STEPS : this.#text('message', '')
        const cut = shown.reason === 'length'
        return [...empty, ...this.#close(cut ? 'incomplete' : 'completed')]
      }
      case 'failure':
        return NO_STEPS
      default:
        return assertNever(shown)
    }
  }

  /** Done items and what there is of the open one. */
  partial(): OutputItem[] {
    const open = this.#open
    return open === undefined ? this.items : [...this.#done, this.#textItem(open, 'incomplete')]
  }

  #text(kind: TextKind, text: string): readonly OutputStep[] {
    if (this.#open?.kind === kind) {
      this.#open.pieces.push(text)
      return [{ step: 'delta', kind, text }]
    }
    const closed = this.#close('completed')
    const index = this.#done.length
    const id = `${kind === 'message' ? 'msg' : 'rs'}_${this.#replyId}_${index}`
    this.#open = { kind, id, pieces: [text] }
    const delta: readonly OutputStep[] = text === '' ? [] : [{ step: 'delta', kind, text }]
    return [...closed, { step: 'open', kind, index, id }, ...delta]
  }

  #close(status: 'completed' | 'incomplete'): readonly OutputStep[] {
    const open = this.#open
    if (open === undefined) return NO_STEPS
    this.#open = undefined
    const index = this.#done.length
    const item = this.#textItem(open, status)
    this.#done.push(item)
    return [{ step: 'close', kind: open.kind, index, item, text: open.pieces.join('') }]
  }

  #whole(item: CallItem): readonly OutputStep[] {
    const closed = this.#close('completed')
    const index = this.#done.length
    this.#done.push(item)
    return [...closed, { step: 'whole', index, item }]
  }

  #textItem(open: OpenItem, status: 'completed' | 'incomplete'): MessageItem | ReasoningItem {
    const text = open.pieces.join('')
    return open.kind === 'message'
      ? messageItem(open.id, status, [textPart(text)])
      : reasoningItem(open.id, [{ type: 'summary_text', text }], this.#form)
  }

  #clientCall({ callId, name, input }: ToolStart): FunctionCallItem | CustomCallItem {
    const form = this.#form?.callForms.get(name) ?? { kind: 'function', name, namespace: undefined }
    const base = { status: 'completed', call_id: callId, ...named(form) } as const
    const id = `${this.#replyId}_${this.#nextIndex()}`
    return form.kind === 'custom'
      ? { id: `ctc_${id}`, type: 'custom_tool_call', ...base, input: freeText(input) }
      : { id: `fc_${id}`, type: 'function_call', ...base, arguments: argumentsText(input) }
  }

  #mcpCall(call: ToolStart, end: ToolEnd): McpCallItem {
    const failed = end.isError
    return {
      id: mcpId(this.#replyId, call.callId),
      type: 'mcp_call',
      status: failed ? 'failed' : 'completed',
      server_label: SERVER_LABEL,
      name: call.name,
      // What only the end tells (the old text of an edit) belongs to the call.
      arguments: argumentsText(end.input ?? call.input),
      output: failed ? null : end.summary,
      error: failed ? end.summary || end.outcome : null,
      approval_request_id: null,
    }
  }

  /** Of the item after the one that is open. */
  #nextIndex(): number {
    return this.#done.length + (this.#open === undefined ? 0 : 1)
  }
}

export const textPart = (text: string): TextPart => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
})

export const messageItem = (
  id: string,
  status: MessageItem['status'],
  content: TextPart[],
): MessageItem => ({ id, type: 'message', status, role: 'assistant', content })

export const reasoningItem = (
  id: string,
  summary: ReasoningItem['summary'],
  form: ResponsesForm | undefined,
): ReasoningItem => ({
  id,
  type: 'reasoning',
  summary,
  ...(form?.encryptedReasoning === true && { encrypted_content: ENCRYPTED }),
})

function named({ name, namespace }: CallForm): { name: string; namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace }
}

/** Ids of Cursor's calls may hold anything; the same call has the same id in a stream and its repeats. */
function mcpId(replyId: string, id: CallId): string {
  return `mcp_${replyId}_${sha256(id).slice(0, 16)}`
}

/** A call without arguments has `{}`. */
function argumentsText(input: Json): string {
  return input === null ? '{}' : JSON.stringify(input)
}

/** What the model put into the one argument of a custom tool. */
function freeText(input: Json): string {
  if (typeof input === 'string') return input
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const text = isObject ? Object.entries(input).find(([key]) => key === FREE_TEXT)?.[1] : undefined
  return typeof text === 'string' ? text : argumentsText(input)
}
