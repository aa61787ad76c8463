// One streamed turn with the openai package; address and key from the environment.
import { load, messages, turn } from './turn.mjs'

const { default: OpenAI } = await load('openai')
await turn(async (say) => {
  const stream = new OpenAI().chat.completions.stream({ model: 'auto', messages })
  stream.on('content', say)
  return (await stream.finalChatCompletion()).choices[0].message.content
})
