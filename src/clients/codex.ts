// Codex: the Responses API, by a provider of its own.
import { join } from 'node:path'
import { type Client, type Facts, modelOf, PROVIDER, type Setting, v1 } from './client.ts'

/**
 * The model is always set: with the newest of its own names Codex 0.171 hands over its tools as code for one JavaScript tool
 * inside the conversation, with any other as ordinary tools (measured).
 */
function settings(facts: Facts): readonly Setting[] {
  const table = ['model_providers', PROVIDER]
  return [
    { path: ['model'], value: modelOf(facts) },
    { path: ['model_provider'], value: PROVIDER },
    { path: [...table, 'name'], value: 'Cursor' },
    { path: [...table, 'base_url'], value: v1(facts) },
    { path: [...table, 'wire_api'], value: 'responses' },
    ...(facts.keyEnv === undefined ? [] : [{ path: [...table, 'env_key'], value: facts.keyEnv }]),
  ]
}

/** Strings as TOML and JSON write them alike. */
const line = ({ path, value }: Setting): string => `${path.at(-1) ?? ''} = ${JSON.stringify(value)}`

function toml(facts: Facts): string {
  const all = settings(facts)
  const inside = all.filter(({ path }) => path.length > 1)
  const top = all.filter(({ path }) => path.length === 1)
  return [...top.map(line), '', `[model_providers.${PROVIDER}]`, ...inside.map(line)].join('\n')
}

export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  parts: (facts) => [
    {
      say: 'In `~/.codex/config.toml`, the first two lines above all tables:',
      language: 'toml',
      text: toml(facts),
    },
  ],
  notes: [
    "Leave the model at `auto` or one of Cursor's: with its newest own names Codex does not offer its tools in the usual form.",
  ],
  file: {
    format: 'toml',
    paths: ({ env, home }) => [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
    settings,
  },
  run: {
    program: 'codex',
    install: 'npm install -g @openai/codex',
    launch: (facts, args, key) => ({
      // Source: its help: `-c key=value` overrides the configuration file, the value is read as TOML.
      args: [
        ...settings(facts).flatMap(({ path, value }) => [
          '-c',
          `${path.join('.')}=${JSON.stringify(value)}`,
        ]),
        ...args,
      ],
      env: facts.keyEnv === undefined ? {} : { [facts.keyEnv]: key },
      unset: [],
    }),
  },
}
