// What a Messages request must look like where we use it; everything else passes unseen.
import { z } from 'zod'
import { jsonObject, jsonValue } from '../check.ts'

const name = z.string().min(1)
/** Blocks are read one by one, each by the schema of its type (content.ts). */
const content = z.union([z.string(), z.array(z.unknown()), z.null()]).optional()

export const message = z.looseObject({
  /** Source: `system` in the middle is sent by Claude Code 2.1.332 (recorded). */
  role: z.enum(['user', 'assistant', 'system']),
  content,
})

/** Tools of types other than `custom` run on the provider's side or have schemas of their own: not used. */
const tool = z.looseObject({ type: z.string().nullish() })
export const clientTool = z.looseObject({
  name,
  description: z.string().nullish(),
  input_schema: jsonObject,
})

const format = z.looseObject({ type: z.string(), schema: jsonObject.nullish() })

export const request = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(z.unknown()).min(1),
  system: content,
  stream: z.boolean().nullish(),
  /** Required by the API, missing in `count_tokens`, not needed by us. */
  max_tokens: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .looseObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: name.nullish(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  output_config: z
    .looseObject({ effort: z.string().nullish(), format: format.nullish() })
    .nullish(),
  /** The older name of `output_config.format`. */
  output_format: format.nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  thread: z.unknown().optional(),
})

const source = z.looseObject({ type: z.string() })

/** Content blocks by `type`. */
export const block = {
  any: z.looseObject({ type: z.string() }),
  text: z.looseObject({ text: z.string() }),
  thinking: z.looseObject({ thinking: z.string() }),
  image: z.looseObject({ source }),
  document: z.looseObject({ source, title: z.string().nullish() }),
  searchResult: z.looseObject({ title: z.string(), source: z.string(), content }),
  toolUse: z.looseObject({ id: name, name, input: jsonValue.optional() }),
  toolResult: z.looseObject({ tool_use_id: name, is_error: z.boolean().nullish(), content }),
  toolReference: z.looseObject({ tool_name: z.string() }),
  /** Results of server and MCP tools: shapes differ by tool, so only text-like fields are looked for. */
  pastResult: z.looseObject({
    tool_use_id: z.string(),
    is_error: z.boolean().nullish(),
    content: z.unknown().optional(),
  }),
}

export const sources = {
  base64: z.looseObject({ media_type: z.string(), data: z.string() }),
  url: z.looseObject({ url: z.string() }),
  text: z.looseObject({ data: z.string() }),
  content: z.looseObject({ content }),
}

export type MessagesRequest = z.infer<typeof request>
