// The form an answer must have (`response_format`, `text.format`, `output_config.format`) → AnswerFormat with its check.
import { z } from 'zod'
import type { AnswerFormat, Json } from '../core/turn.ts'
import { type Path, refuse } from './check.ts'

export interface FormatField {
  readonly type: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly schema?: { readonly [key: string]: Json } | null | undefined
}

/**
 * Undefined for plain text. `path`: where the format stands; `inner`: where in it the schema's fields stand.
 * @throws Refusal for an unknown kind, and for a schema that cannot be checked here.
 */
export function answerFormat(
  format: FormatField | null | undefined,
  path: Path,
  inner: Path = [],
): AnswerFormat | undefined {
  if (format === null || format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_object') return JSON_OBJECT
  if (format.type !== 'json_schema') {
    refuse(
      [...path, 'type'],
      '"text", "json_object" or "json_schema"',
      JSON.stringify(format.type.slice(0, 60)),
    )
  }
  const at = [...path, ...inner, 'schema']
  const schema = format.schema ?? refuse(at, 'an object', 'nothing')
  return {
    name: format.name ?? '',
    description: format.description ?? '',
    schema,
    problem: checkOf(schema, at),
  }
}

const anyObject = z.record(z.string(), z.unknown())

const JSON_OBJECT: AnswerFormat = {
  name: '',
  description: '',
  schema: undefined,
  problem: (value) => (anyObject.safeParse(value).success ? undefined : 'it is not a JSON object'),
}

const MAX_ISSUES = 5

/** Never answers with something unchecked: a schema that we cannot check is refused. */
function checkOf(schema: { readonly [key: string]: Json }, path: Path): AnswerFormat['problem'] {
  const checked = compiled(schema, path)
  return (value) => {
    const parsed = checked.safeParse(value)
    if (parsed.success) return undefined
    return parsed.error.issues
      .slice(0, MAX_ISSUES)
      .map((issue) => `${issue.path.map(String).join('.') || 'the whole'}: ${issue.message}`)
      .join('; ')
  }
}

function compiled(schema: { readonly [key: string]: Json }, path: Path): z.ZodType {
  try {
    return z.fromJSONSchema({ ...schema })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return refuse(
      path,
      'a JSON schema that can be checked here',
      `one that cannot (${why.slice(0, 200)})`,
    )
  }
}
