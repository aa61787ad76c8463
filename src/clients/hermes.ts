// Hermes Agent: chat completions, as its provider `custom`.
import { join } from 'node:path'
import { type Client, type Facts, modelOf, NO_KEY, type Setting, v1 } from './client.ts'

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

const yaml = (facts: Facts): string =>
  ['model:', ...Object.entries(values(facts)).map(([key, value]) => `  ${key}: ${value}`)].join(
    '\n',
  )

export const hermes: Client = {
  name: 'hermes',
  title: 'Hermes Agent',
  parts: (facts) => [
    {
      say: 'In `~/.hermes/config.yaml`:',
      language: 'yaml',
      text: yaml(facts),
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
    // Source: hermes_cli/managed_scope.py of 0.19.0: settings of that folder win over the user's, key by key. The
    // variables it has for endpoints do not do: a key for a loopback address is taken from settings only.
    launch: (facts, args, key) => ({
      args,
      env: facts.keyEnv === undefined ? {} : { [facts.keyEnv]: key },
      unset: [],
      folder: { variable: 'HERMES_MANAGED_DIR', file: 'config.yaml', text: yaml(facts) },
    }),
  },
}
