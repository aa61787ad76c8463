// One streamed turn with LangChain; address and key from the environment.
import { load, messages, turn } from './turn.mjs'

const { ChatOpenAI } = await load('@langchain/openai')
await turn(async (say) => {
  const model = new ChatOpenAI({
    model: 'auto',
    configuration: { baseURL: process.env.OPENAI_BASE_URL },
    maxRetries: 2,
  })
  let content = ''
  for await (const chunk of await model.stream(messages)) {
    content += chunk.text
    say(chunk.text)
  }
  return content
})
