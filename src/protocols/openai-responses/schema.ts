// What a Responses request must look like where we use it; everything else passes unseen.
import { z } from 'zod'
import { jsonObject, jsonValue } from '../check.ts'

const name = z.string().min(1)
/** Content parts are read one by one, each by the schema of its kind (content.ts). */
const content = z.union([z.string(), z.array(z.unknown()), z.null()]).optional()

/** Items by `type`; an item without one is a message. */
export const item = {
  any: z.looseObject({ type: z.string().nullish() }),
  message: z.looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content,
  }),
  functionCall: z.looseObject({
    call_id: name,
    name,
    namespace: z.string().nullish(),
    arguments: z.union([z.string(), jsonObject]).nullish(),
  }),
  customCall: z.looseObject({
    call_id: name,
    name,
    namespace: z.string().nullish(),
    input: z.string().nullish(),
  }),
  output: z.looseObject({ call_id: name, output: content }),
  reasoning: z.looseObject({
    summary: z.array(z.looseObject({ text: z.string().nullish() })).nullish(),
    content: z.array(z.looseObject({ text: z.string().nullish() })).nullish(),
  }),
  reference: z.looseObject({
    type: z.string().nullish(),
    role: z.unknown().optional(),
    id: name,
  }),
  mcpCall: z.looseObject({
    name,
    server_label: z.string().nullish(),
    arguments: z.string().nullish(),
    output: z.string().nullish(),
    error: z.unknown().optional(),
  }),
}

export const part = {
  any: z.looseObject({ type: z.string() }),
  text: z.looseObject({ text: z.string() }),
  refusal: z.looseObject({ refusal: z.string() }),
  /** Some clients give an object as chat completions do. */
  image: z.looseObject({
    image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).nullish(),
  }),
  file: z.looseObject({ filename: z.string().nullish() }),
}

const anyTool = z.looseObject({ type: z.string() })
export const tool = {
  function: z.looseObject({
    name,
    description: z.string().nullish(),
    parameters: jsonObject.nullish(),
  }),
  custom: z.looseObject({
    name,
    description: z.string().nullish(),
    format: z
      .looseObject({ syntax: z.string().nullish(), definition: z.string().nullish() })
      .nullish(),
  }),
  namespace: z.looseObject({ name, tools: z.array(anyTool).nullish() }),
}

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({
    type: z.string(),
    name: name.nullish(),
    namespace: z.string().nullish(),
    mode: z.enum(['auto', 'required']).nullish(),
  }),
])

const format = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  schema: jsonObject.nullish(),
})

export const request = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(z.unknown()).min(1)]),
  instructions: z.union([z.string(), z.null()]).optional(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() }), z.null()]).optional(),
  prompt: z.unknown().optional(),
  tools: z.array(anyTool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().min(0).nullish(),
  top_logprobs: z.int().min(0).nullish(),
  include: z.array(z.string()).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  metadata: z.record(z.string(), jsonValue).nullish(),
  prompt_cache_key: z.string().nullish(),
  user: z.string().nullish(),
})

export type ResponsesRequest = z.infer<typeof request>
export type ToolChoiceField = z.infer<typeof toolChoice>

/** The request's fields as they were written. */
export const written = z.record(z.string(), jsonValue.optional())
