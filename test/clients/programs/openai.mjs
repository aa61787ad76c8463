// One streamed turn with the openai package; address and key from the environment.
import { bringsTools, load, messages, TOOL, turn } from './turn.mjs'

const { default: OpenAI } = await load('openai')
const { name, description, schema, run } = TOOL
const tool = {
  type: 'function',
  function: { name, description, parameters: schema, parse: JSON.parse, function: run },
}
await turn(async (say) => {
  const { completions } = new OpenAI().chat
  const stream = bringsTools
    ? completions.runTools({ model: 'auto', messages, stream: true, tools: [tool] })
    : completions.stream({ model: 'auto', messages })
  stream.on('content', say)
  return await stream.finalContent()
})
