// One streamed turn with LangChain; address and key from the environment.
import { bringsTools, load, messages, TOOL, turn } from './turn.mjs'

const { ChatOpenAI } = await load('@langchain/openai')
const { ToolMessage } = await load('@langchain/core/messages')
const { name, description, schema, run } = TOOL
const tool = { type: 'function', function: { name, description, parameters: schema } }
await turn(async (say) => {
  const model = new ChatOpenAI({
    model: 'auto',
    configuration: { baseURL: process.env.OPENAI_BASE_URL },
    maxRetries: 2,
  })
  const ready = bringsTools ? model.bindTools([tool]) : model
  const all = [...messages]
  for (;;) {
    let reply
    for await (const chunk of await ready.stream(all)) {
      reply = reply === undefined ? chunk : reply.concat(chunk)
      say(chunk.text)
    }
    const calls = reply.tool_calls ?? []
    if (calls.length === 0) return reply.text
    const results = calls.map(
      ({ id, args }) => new ToolMessage({ tool_call_id: id, content: run(args) }),
    )
    all.push(reply, ...results)
  }
})
