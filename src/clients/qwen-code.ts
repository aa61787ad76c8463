// Qwen Code: chat completions, by environment.
import { type Client, exports, type Facts, modelOf, names, shellKey, v1 } from './client.ts'

const variables = (facts: Facts, key: string): Readonly<Record<string, string>> => ({
  OPENAI_BASE_URL: v1(facts),
  OPENAI_API_KEY: key,
  OPENAI_MODEL: modelOf(facts),
})

export const qwenCode: Client = {
  name: 'qwen-code',
  title: 'Qwen Code',
  parts: (facts) => [
    {
      say: 'For one shell (or the same lines without `export` in `~/.qwen/.env`):',
      language: 'sh',
      text: `${exports(variables(facts, shellKey(facts)))}\nqwen --auth-type openai`,
    },
  ],
  run: {
    program: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    launch: (facts, args, key) => ({
      args: [
        ...(names(args, '--auth-type') ? [] : ['--auth-type', 'openai']),
        ...(names(args, '--model', '-m') ? [] : ['--model', modelOf(facts)]),
        ...args,
      ],
      env: variables(facts, key),
      unset: [],
    }),
  },
}
