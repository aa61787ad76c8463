// Steps of the output → stream events. Each event is numbered by its writer; here stands what it says.

import { assertNever } from '../../core/events.ts'
import type { ResponsesForm } from '../../core/turn.ts'
import type { CallItem, OutputStep, TextKind } from './output.ts'
import { messageItem, reasoningItem, textPart } from './output.ts'
import type { OutputItem, StreamEvent } from './wire.ts'

/** A stream event without its number. */
export type Unnumbered = StreamEvent extends infer E
  ? E extends StreamEvent
    ? Omit<E, 'sequence_number'>
    : never
  : never

type Open = Extract<OutputStep, { step: 'open' }>
type Close = Extract<OutputStep, { step: 'close' }>

/** The item, then its only part, both empty. */
export function openEvents(
  { kind, index, id }: Open,
  form: ResponsesForm | undefined,
): readonly Unnumbered[] {
  if (kind === 'message') {
    return [
      added(index, messageItem(id, 'in_progress', [])),
      {
        type: 'response.content_part.added',
        item_id: id,
        output_index: index,
        content_index: 0,
        part: textPart(''),
      },
    ]
  }
  return [
    added(index, reasoningItem(id, [], form)),
    {
      type: 'response.reasoning_summary_part.added',
      item_id: id,
      output_index: index,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    },
  ]
}

export function deltaEvent(kind: TextKind, index: number, id: string, delta: string): Unnumbered {
  return kind === 'message'
    ? {
        type: 'response.output_text.delta',
        item_id: id,
        output_index: index,
        content_index: 0,
        logprobs: [],
        delta,
      }
    : {
        type: 'response.reasoning_summary_text.delta',
        item_id: id,
        output_index: index,
        summary_index: 0,
        delta,
      }
}

export function closeEvents({ kind, index, item, text }: Close): readonly Unnumbered[] {
  const at = { item_id: item.id, output_index: index }
  if (kind === 'message') {
    return [
      { type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, content_index: 0, part: textPart(text) },
      done(index, item),
    ]
  }
  return [
    { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text },
    {
      type: 'response.reasoning_summary_part.done',
      ...at,
      summary_index: 0,
      part: { type: 'summary_text', text },
    },
    done(index, item),
  ]
}

/** A call that is complete at once: its item without arguments, they in one delta, the item with all it has. */
export function callEvents(index: number, item: CallItem): readonly Unnumbered[] {
  const at = { item_id: item.id, output_index: index }
  switch (item.type) {
    case 'function_call':
      return [
        added(index, { ...item, status: 'in_progress', arguments: '' }),
        { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
        {
          type: 'response.function_call_arguments.done',
          ...at,
          name: item.name,
          arguments: item.arguments,
        },
        done(index, item),
      ]
    case 'custom_tool_call':
      return [
        added(index, { ...item, status: 'in_progress', input: '' }),
        { type: 'response.custom_tool_call_input.delta', ...at, delta: item.input },
        { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
        done(index, item),
      ]
    case 'mcp_call':
      return [
        added(index, { ...item, status: 'in_progress', arguments: '', output: null, error: null }),
        { type: 'response.mcp_call.in_progress', ...at },
        { type: 'response.mcp_call_arguments.delta', ...at, delta: item.arguments },
        { type: 'response.mcp_call_arguments.done', ...at, arguments: item.arguments },
        item.status === 'failed'
          ? { type: 'response.mcp_call.failed', ...at }
          : { type: 'response.mcp_call.completed', ...at },
        done(index, item),
      ]
    default:
      return assertNever(item)
  }
}

function added(index: number, item: OutputItem): Unnumbered {
  return { type: 'response.output_item.added', output_index: index, item }
}

function done(index: number, item: OutputItem): Unnumbered {
  return { type: 'response.output_item.done', output_index: index, item }
}
