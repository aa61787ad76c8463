// One streamed turn with the Anthropic SDK; address and token from the environment.
import { load, messages, turn } from './turn.mjs'

const { default: Anthropic } = await load('@anthropic-ai/sdk')
await turn(async (say) => {
  const stream = new Anthropic().messages.stream({ model: 'auto', max_tokens: 1024, messages })
  stream.on('text', say)
  const { content } = await stream.finalMessage()
  return content.map((block) => block.text ?? '').join('')
})
