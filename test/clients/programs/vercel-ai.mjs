// One streamed turn with the Vercel AI SDK, set up as the README says.
import { bringsTools, load, messages, TOOL, turn } from './turn.mjs'

const { isStepCount, jsonSchema, stepCountIs, streamText, tool } = await load('ai')
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible')
const cursor = createOpenAICompatible({
  name: 'cursor',
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
  includeUsage: true,
})
const { name, description, schema, run } = TOOL
const tools = bringsTools
  ? { [name]: tool({ description, inputSchema: jsonSchema(schema), execute: run }) }
  : undefined
await turn(async (say) => {
  let failure
  const onError = ({ error }) => {
    failure = error
  }
  const { textStream } = streamText({
    model: cursor('auto'),
    messages,
    tools,
    stopWhen: (isStepCount ?? stepCountIs)(5),
    onError,
  })
  let content = ''
  for await (const text of textStream) {
    content += text
    say(text)
  }
  if (failure !== undefined) throw failure
  return content
})
