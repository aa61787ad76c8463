// SDKs, gateways and curl.
import { type Client, jsKey, modelOf, shellKey, v1 } from './client.ts'

export const openaiSdk: Client = {
  name: 'openai-sdk',
  title: 'OpenAI SDK',
  parts: (facts) => [
    {
      say: 'Node, also for anything built on it:',
      language: 'js',
      text: `const client = new OpenAI({ baseURL: '${v1(facts)}', apiKey: ${jsKey(facts)} })`,
    },
    {
      say: 'Python, LangChain and other tools read the environment:',
      language: 'sh',
      text: `export OPENAI_BASE_URL=${v1(facts)} OPENAI_API_KEY=${shellKey(facts)}`,
    },
  ],
}

export const anthropicSdk: Client = {
  name: 'anthropic-sdk',
  title: 'Anthropic SDK, Claude Agent SDK',
  parts: (facts) => [
    {
      say: 'Node:',
      language: 'js',
      text: `const client = new Anthropic({ baseURL: '${facts.url}', apiKey: ${jsKey(facts)} })`,
    },
    {
      say: 'Python, and the Claude Agent SDK in both languages, read the environment:',
      language: 'sh',
      text: `export ANTHROPIC_BASE_URL=${facts.url} ANTHROPIC_AUTH_TOKEN=${shellKey(facts)}`,
    },
  ],
}

export const vercelAi: Client = {
  name: 'vercel-ai',
  title: 'Vercel AI SDK',
  parts: (facts) => [
    {
      say: 'With `@ai-sdk/openai-compatible`:',
      language: 'js',
      text: [
        `const cursor = createOpenAICompatible({`,
        `  name: 'cursor',`,
        `  baseURL: '${v1(facts)}',`,
        `  apiKey: ${jsKey(facts)},`,
        `  includeUsage: true,`,
        `})`,
        `const { textStream } = streamText({ model: cursor('${modelOf(facts)}'), prompt: 'hello' })`,
      ].join('\n'),
    },
  ],
}

export const litellm: Client = {
  name: 'litellm',
  title: 'LiteLLM proxy',
  parts: (facts) => [
    {
      say: 'In its `config.yaml`:',
      language: 'yaml',
      text: [
        'model_list:',
        '  - model_name: cursor',
        '    litellm_params:',
        `      model: openai/${modelOf(facts)}`,
        `      api_base: ${v1(facts)}`,
        `      api_key: ${facts.keyEnv === undefined ? 'unused' : `os.environ/${facts.keyEnv}`}`,
      ].join('\n'),
    },
  ],
}

export const curl: Client = {
  name: 'curl',
  title: 'curl',
  parts: (facts) => [
    {
      say: 'One streamed question:',
      language: 'sh',
      text: [
        `curl -N ${v1(facts)}/chat/completions -H 'content-type: application/json' \\`,
        // A key on curl's command line could be read by every user of the machine.
        ...(facts.keyEnv === undefined
          ? []
          : [`  -H @<(printf 'authorization: Bearer %s' "$${facts.keyEnv}") \\`]),
        `  -d '{"model":"${modelOf(facts)}","stream":true,"messages":[{"role":"user","content":"hello"}]}'`,
      ].join('\n'),
    },
  ],
}
