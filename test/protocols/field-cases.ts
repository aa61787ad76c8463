// One example for each row of docs/fields.md.

export interface FieldCase {
  readonly fields: object
  /** What must be true of the turn with the field, and not be true without it. */
  readonly turn?: object
  /** A request without the field, where the smallest one would not do. */
  readonly without?: object
  /** Refused: the field that the message names, where it is not the row's first word. */
  readonly named?: string
  /** Refused: a harmless value. */
  readonly passes?: object
}

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }
const CHAT_TOOL = { type: 'function', function: { name: 'read', parameters: SCHEMA } }
const TOOL = { type: 'function', name: 'read', parameters: SCHEMA }
const READ = { name: 'read', description: '', parameters: SCHEMA }
const ignored = (fields: object): FieldCase => ({ fields })
const tuning: Readonly<Record<string, FieldCase>> = {
  temperature: ignored({ temperature: 0.3 }),
  top_p: ignored({ top_p: 0.3 }),
  service_tier: ignored({ service_tier: 'priority' }),
}
const openaiTuning: Readonly<Record<string, FieldCase>> = {
  ...tuning,
  user: ignored({ user: 'ann' }),
  safety_identifier: ignored({ safety_identifier: 'x' }),
}
const text = (value: string) => ({ parts: [{ type: 'text', text: value }] })

export const CHAT: Readonly<Record<string, FieldCase>> = {
  ...openaiTuning,
  model: { fields: { model: 'gpt-5' }, turn: { model: 'gpt-5' } },
  messages: {
    fields: { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
    turn: { messages: [text('x')] },
  },
  'messages[].role: developer': {
    fields: { messages: [{ role: 'developer', content: 'x' }] },
    turn: { messages: [{ role: 'system', ...text('x') }] },
  },
  stream: { fields: { stream: true }, turn: { reply: { stream: true } } },
  'stream_options.include_usage': {
    fields: { stream: true, stream_options: { include_usage: true } },
    without: { stream: true },
    turn: { reply: { usageChunk: true } },
  },
  tools: { fields: { tools: [CHAT_TOOL, { type: 'custom' }] }, turn: { tools: [READ] } },
  functions: { fields: { functions: [CHAT_TOOL.function] }, turn: { tools: [READ] } },
  tool_choice: { fields: { tool_choice: 'required' }, turn: { toolChoice: { kind: 'required' } } },
  function_call: {
    fields: { function_call: { name: 'read' } },
    turn: { toolChoice: { kind: 'named', name: 'read' } },
  },
  parallel_tool_calls: {
    fields: { parallel_tool_calls: false },
    turn: { parallelToolCalls: false },
  },
  max_completion_tokens: {
    fields: { max_completion_tokens: 7, max_tokens: 9 },
    turn: { maxOutputTokens: 7 },
  },
  max_tokens: { fields: { max_tokens: 9 }, turn: { maxOutputTokens: 9 } },
  stop: { fields: { stop: ['END'] }, turn: { stop: ['END'] } },
  'response_format: json_object': {
    fields: { response_format: { type: 'json_object' } },
    turn: { format: { schema: undefined, name: '' } },
  },
  'response_format: json_schema': {
    fields: {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } },
    },
    turn: { format: { name: 'x', schema: SCHEMA } },
  },
  'response_format: text': ignored({ response_format: { type: 'text' } }),
  reasoning_effort: { fields: { reasoning_effort: 'high' }, turn: { effort: 'high' } },
  'reasoning.effort': { fields: { reasoning: { effort: 'low' } }, turn: { effort: 'low' } },
  prompt_cache_key: {
    fields: { prompt_cache_key: 'k' },
    turn: { bodyIds: { promptCacheKey: 'k' } },
  },
  n: { fields: { n: 2 }, passes: { n: 1 } },
  logprobs: { fields: { logprobs: true }, passes: { logprobs: false } },
  top_logprobs: { fields: { top_logprobs: 2 }, passes: { top_logprobs: 0 } },
  modalities: { fields: { modalities: ['text', 'audio'] }, passes: { modalities: ['text'] } },
  audio: { fields: { audio: { voice: 'x', format: 'wav' } }, passes: { audio: null } },
  store: ignored({ store: true }),
  metadata: ignored({ metadata: { a: 'b' } }),
  seed: ignored({ seed: 7 }),
  presence_penalty: ignored({ presence_penalty: 1 }),
  frequency_penalty: ignored({ frequency_penalty: 1 }),
  logit_bias: ignored({ logit_bias: { 7: 1 } }),
  prediction: ignored({ prediction: { type: 'content', content: 'x' } }),
  verbosity: ignored({ verbosity: 'low' }),
  web_search_options: ignored({ web_search_options: {} }),
}

const format = (value: object): object => ({ text: { format: value } })

export const RESPONSES: Readonly<Record<string, FieldCase>> = {
  ...openaiTuning,
  model: { fields: { model: 'gpt-5' }, turn: { model: 'gpt-5' } },
  input: { fields: { input: [{ role: 'user', content: 'x' }] }, turn: { messages: [text('x')] } },
  instructions: {
    fields: { instructions: 'x' },
    turn: { messages: [{ role: 'system', ...text('x') }, { role: 'user' }] },
  },
  stream: { fields: { stream: true }, turn: { reply: { stream: true } } },
  previous_response_id: {
    fields: { previous_response_id: 'resp_1' },
    turn: { messages: [text('one'), text('hi')] },
  },
  conversation: {
    fields: { conversation: 'c' },
    turn: { messages: [text('one'), text('hi')], bodyIds: { conversation: 'c' } },
  },
  'input[].type: item_reference': {
    fields: { input: [{ type: 'item_reference', id: 'msg_1' }] },
    turn: { messages: [{ role: 'assistant', ...text('one') }] },
  },
  store: { fields: { store: false }, turn: { reply: { responses: { echo: { store: false } } } } },
  metadata: {
    fields: { metadata: { a: 'b' } },
    turn: { reply: { responses: { echo: { metadata: { a: 'b' } } } } },
  },
  'include: reasoning.encrypted_content': {
    fields: { include: ['reasoning.encrypted_content'] },
    turn: { reply: { responses: { encryptedReasoning: true } } },
  },
  tools: {
    fields: { tools: [TOOL, { type: 'namespace', name: 'n', tools: [TOOL] }] },
    turn: { tools: [READ, { ...READ, name: 'n__read' }] },
  },
  'tools[].type: custom': {
    fields: { tools: [{ type: 'custom', name: 'patch' }] },
    turn: { tools: [{ name: 'patch', parameters: { required: ['input'] } }] },
  },
  'tools[].type: web_search': ignored({ tools: [{ type: 'web_search' }] }),
  tool_choice: { fields: { tool_choice: 'required' }, turn: { toolChoice: { kind: 'required' } } },
  'tool_choice.type: web_search': { fields: { tool_choice: { type: 'web_search' } } },
  parallel_tool_calls: {
    fields: { parallel_tool_calls: false },
    turn: { parallelToolCalls: false },
  },
  max_output_tokens: { fields: { max_output_tokens: 7 }, turn: { maxOutputTokens: 7 } },
  'text.format: json_object': {
    fields: format({ type: 'json_object' }),
    turn: { format: { schema: undefined, name: '' } },
  },
  'text.format: json_schema': {
    fields: format({ type: 'json_schema', name: 'x', schema: SCHEMA }),
    turn: { format: { name: 'x', schema: SCHEMA } },
  },
  'reasoning.effort': { fields: { reasoning: { effort: 'low' } }, turn: { effort: 'low' } },
  'reasoning.summary': ignored({ reasoning: { summary: 'auto' } }),
  prompt_cache_key: {
    fields: { prompt_cache_key: 'k' },
    turn: { bodyIds: { promptCacheKey: 'k' } },
  },
  background: { fields: { background: true }, passes: { background: false } },
  prompt: { fields: { prompt: { id: 'pmpt_1' } }, passes: { prompt: null } },
  top_logprobs: { fields: { top_logprobs: 2 }, passes: { top_logprobs: 0 } },
  'include: message.output_text.logprobs': {
    fields: { include: ['message.output_text.logprobs'] },
    named: 'top_logprobs',
  },
  'text.verbosity': ignored({ text: { verbosity: 'low' } }),
  truncation: ignored({ truncation: 'auto' }),
  max_tool_calls: ignored({ max_tool_calls: 3 }),
  stream_options: ignored({ stream_options: { include_obfuscation: true } }),
  client_metadata: ignored({ client_metadata: { thread_id: 't' } }),
}

const content = [{ type: 'text', text: 'hi' }]
const said = (more: object): FieldCase =>
  ignored({
    messages: [{ role: 'user', content: content.map((block) => ({ ...block, ...more })) }],
  })

export const MESSAGES: Readonly<Record<string, FieldCase>> = {
  ...tuning,
  model: { fields: { model: 'claude-x' }, turn: { model: 'claude-x' } },
  messages: {
    fields: { messages: [{ role: 'system', content: 'x' }] },
    turn: { messages: [{ role: 'system', ...text('x') }] },
  },
  system: {
    fields: { system: 'x' },
    turn: { messages: [{ role: 'system', ...text('x') }, { role: 'user' }] },
  },
  stream: { fields: { stream: true }, turn: { reply: { stream: true } } },
  tools: {
    fields: {
      tools: [
        { name: 'read', input_schema: SCHEMA },
        { type: 'web_search_20250305', name: 'w' },
      ],
    },
    turn: { tools: [READ] },
  },
  tool_choice: {
    fields: { tool_choice: { type: 'any' } },
    turn: { toolChoice: { kind: 'required' } },
  },
  'tool_choice.disable_parallel_tool_use': {
    fields: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    turn: { parallelToolCalls: false },
  },
  max_tokens: { fields: { max_tokens: 9 }, turn: { maxOutputTokens: 9 } },
  stop_sequences: { fields: { stop_sequences: ['END'] }, turn: { stop: ['END'] } },
  'output_config.effort': { fields: { output_config: { effort: 'low' } }, turn: { effort: 'low' } },
  'output_config.format': {
    fields: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    turn: { format: { schema: SCHEMA } },
  },
  output_format: {
    fields: { output_format: { type: 'json_schema', schema: SCHEMA } },
    turn: { format: { schema: SCHEMA } },
  },
  'thinking.type: adaptive': {
    fields: { thinking: { type: 'adaptive' } },
    turn: { thinking: true },
  },
  'thinking.type: enabled': {
    fields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    turn: { thinking: true },
  },
  'thinking.type: disabled': {
    fields: { thinking: { type: 'disabled' } },
    turn: { thinking: false },
  },
  'thinking.display': ignored({ thinking: { type: 'brand-new', display: 'omitted' } }),
  'metadata.user_id': {
    fields: { metadata: { user_id: 'u' } },
    turn: { bodyIds: { userId: 'u' } },
  },
  thread: { fields: { thread: { type: 'create' } }, passes: { thread: null } },
  container: ignored({ container: 'container_1' }),
  context_management: ignored({ context_management: { edits: [{ type: 'x' }] } }),
  mcp_servers: ignored({ mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }),
  'messages[].content[].citations': said({ citations: { enabled: true } }),
  cache_control: said({ cache_control: { type: 'ephemeral' } }),
  top_k: ignored({ top_k: 3 }),
  betas: ignored({ betas: ['brand-new-2026'] }),
}
