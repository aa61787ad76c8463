import { backendContract } from './backend.cases.ts'

backendContract({
  name: 'print',
  reusable: false,
  textLine: (text) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    timestamp_ms: 1,
  }),
  skip: {},
})

backendContract({
  name: 'acp',
  reusable: true,
  textLine: (text) => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: '$SESSION',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    },
  }),
  skip: {},
})
