// What a chat completion request must look like where we use it; everything else passes unseen.
import { z } from 'zod'
import { jsonObject, jsonValue } from '../check.ts'

const name = z.string().min(1)
/** Content parts are read one by one, each by the schema of its kind (content.ts). */
const content = z.union([z.string(), z.array(z.unknown()), z.null()]).optional()

const functionCall = z.looseObject({ name, arguments: z.union([z.string(), jsonObject]).nullish() })

export const toolCall = z.looseObject({
  id: name,
  type: z.string().nullish(),
  function: functionCall.nullish(),
  custom: z.looseObject({ name, input: z.string().nullish() }).nullish(),
})

export const anyMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
})

export const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer', 'user']), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content,
    reasoning_content: z.string().nullish(),
    reasoning: z.unknown().optional(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
    function_call: functionCall.nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: name, content }),
  z.looseObject({ role: z.literal('function'), name, content }),
])

const functionDefinition = z.looseObject({
  name,
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
})

/** Tools of other kinds than `function` run on the provider's side or follow a grammar: not used, not checked. */
const tool = z.looseObject({ type: z.string() })
export const functionTool = z.looseObject({ function: functionDefinition })

const named = z.looseObject({ name })
/** A choice given as an object, by its `type`. */
export const choices = {
  function: z.looseObject({ function: named }),
  custom: z.looseObject({ custom: named }),
  allowed: z.looseObject({ allowed_tools: z.looseObject({ mode: z.enum(['auto', 'required']) }) }),
}
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.enum(['function', 'custom', 'allowed_tools']) }),
])

const tokens = z.int().min(0).nullish()

export const request = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(z.unknown()).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  functions: z.array(functionDefinition).nullish(),
  function_call: z.union([z.enum(['none', 'auto']), named]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  n: z.int().min(1).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  stop: z.union([z.string(), z.array(z.string()), z.null()]).optional(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).nullish(),
  modalities: z.array(z.string()).nullish(),
  audio: z.unknown().optional(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z
        .looseObject({
          name: z.string().nullish(),
          description: z.string().nullish(),
          schema: jsonObject.nullish(),
        })
        .nullish(),
    })
    .nullish(),
  reasoning_effort: z.string().nullish(),
  /** Source: Claude Code Router 2.0.0 (recorded). */
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  user: z.string().nullish(),
  metadata: z.record(z.string(), jsonValue).nullish(),
  prompt_cache_key: z.string().nullish(),
})

export type ChatRequest = z.infer<typeof request>
export type ChatMessage = z.infer<typeof message>
export type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>
