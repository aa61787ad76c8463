// The form an answer must have (`response_format`, `text.format`, `output_config.format`) → AnswerFormat.
import type { AnswerFormat, Json } from '../core/turn.ts'
import { type Path, refuse } from './check.ts'

export interface FormatField {
  readonly type: 'text' | 'json_object' | 'json_schema'
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly schema?: { readonly [key: string]: Json } | null | undefined
}

/** Undefined for plain text. @throws Refusal for a schema format without a schema. */
export function answerFormat(
  format: FormatField | null | undefined,
  path: Path,
): AnswerFormat | undefined {
  if (format === null || format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_object') return { kind: 'json-object' }
  return {
    kind: 'json-schema',
    name: format.name ?? '',
    description: format.description ?? '',
    schema: format.schema ?? refuse([...path, 'schema'], 'an object', 'nothing'),
  }
}
