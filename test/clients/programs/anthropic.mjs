// One streamed turn with the Anthropic SDK; address and token from the environment.
import { bringsTools, load, messages, TOOL, turn } from './turn.mjs'

const { default: Anthropic } = await load('@anthropic-ai/sdk')
const { name, description, schema, run } = TOOL
const tools = bringsTools ? [{ name, description, input_schema: schema }] : []
const client = new Anthropic()
await turn(async (say) => {
  const all = [...messages]
  for (;;) {
    const stream = client.messages.stream({ model: 'auto', max_tokens: 1024, messages: all, tools })
    stream.on('text', say)
    const { content } = await stream.finalMessage()
    const calls = content.filter(({ type }) => type === 'tool_use')
    if (calls.length === 0) return content.map((block) => block.text ?? '').join('')
    const results = calls.map(({ id, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: run(input),
    }))
    all.push({ role: 'assistant', content }, { role: 'user', content: results })
  }
})
