// One streamed turn with the Vercel AI SDK, set up as the README says.
import { load, messages, turn } from './turn.mjs'

const { streamText } = await load('ai')
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible')
const cursor = createOpenAICompatible({
  name: 'cursor',
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
  includeUsage: true,
})
await turn(async (say) => {
  let failure
  const onError = ({ error }) => {
    failure = error
  }
  const { textStream } = streamText({ model: cursor('auto'), messages, onError })
  let content = ''
  for await (const text of textStream) {
    content += text
    say(text)
  }
  if (failure !== undefined) throw failure
  return content
})
