// Hermes Agent: chat completions, as its provider `custom`.
import { join } from 'node:path'
import { type Client, type Facts, modelOf, NO_KEY, names, type Setting, v1 } from './client.ts'

function values(facts: Facts): Readonly<Record<string, string>> {
  return {
    provider: 'custom',
    base_url: v1(facts),
    // It puts the environment into `${…}` when it reads the file.
    api_key: facts.keyEnv === undefined ? NO_KEY : `\${${facts.keyEnv}}`,
    api_mode: 'chat_completions',
    default: modelOf(facts),
  }
}

const settings = (facts: Facts): readonly Setting[] =>
  Object.entries(values(facts)).map(([key, value]) => ({ path: ['model', key], value }))

export const hermes: Client = {
  name: 'hermes',
  title: 'Hermes Agent',
  parts: (facts) => [
    {
      say: 'In `~/.hermes/config.yaml`:',
      language: 'yaml',
      text: [
        'model:',
        ...Object.entries(values(facts)).map(([key, value]) => `  ${key}: ${value}`),
      ].join('\n'),
    },
  ],
  file: {
    format: 'yaml',
    paths: ({ env, home }) => [join(env.HERMES_HOME || join(home, '.hermes'), 'config.yaml')],
    settings,
  },
  run: {
    program: 'hermes',
    install: 'pipx install hermes-agent',
    launch: (facts, args, key) => ({
      args: [
        ...(names(args, '--provider') ? [] : ['--provider', 'custom']),
        ...(names(args, '--model', '-m') ? [] : ['--model', modelOf(facts)]),
        ...args,
      ],
      // Source: hermes_cli/runtime_provider.py of 0.19.0: what `--provider custom` reads.
      env: { CUSTOM_BASE_URL: v1(facts), OPENAI_API_KEY: key },
      unset: ['OPENROUTER_API_KEY'],
    }),
  },
}
