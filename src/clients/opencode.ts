// OpenCode: a provider of its own over chat completions.
import { join } from 'node:path'
import { type Client, type Facts, type KnownModel, modelOf, NO_KEY, v1 } from './client.ts'
import type { JsonValue } from './edit/json-value.ts'

/** Assumed where Cursor decides the model per run: the smallest window it was seen to offer. */
const CONTEXT = 200_000
/** Source: what OpenCode asks for unless told otherwise (measured). */
const OUTPUT = 32_000

const entry = ({ label, contextWindow = CONTEXT }: KnownModel): JsonValue => ({
  name: label,
  tool_call: true,
  attachment: true,
  modalities: { input: ['text', 'image'], output: ['text'] },
  limit: { context: contextWindow, output: OUTPUT },
})

function models(facts: Facts): JsonValue {
  const wanted = modelOf(facts)
  const known = facts.models.some(({ id }) => id === wanted)
    ? facts.models
    : [{ id: wanted, label: wanted, contextWindow: undefined }, ...facts.models]
  return Object.fromEntries(known.map((model) => [model.id, entry(model)]))
}

function config(facts: Facts): { readonly provider: JsonValue; readonly model: string } {
  const apiKey = facts.keyEnv === undefined ? NO_KEY : `{env:${facts.keyEnv}}`
  return {
    provider: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Cursor',
      options: { baseURL: v1(facts), apiKey },
      models: models(facts),
    },
    model: `cursor/${modelOf(facts)}`,
  }
}

const pretty = (value: JsonValue): string => JSON.stringify(value, undefined, 2)

export const opencode: Client = {
  name: 'opencode',
  title: 'OpenCode',
  parts: (facts) => {
    const { provider, model } = config(facts)
    return [
      {
        say: 'In `~/.config/opencode/opencode.json`, or `opencode.json` of a project:',
        language: 'json',
        text: pretty({ provider: { cursor: provider }, model, small_model: model }),
      },
    ]
  },
  file: {
    format: 'jsonc',
    // Source: its documentation: OPENCODE_CONFIG names a file, OPENCODE_CONFIG_DIR a folder.
    paths: ({ env, home }) => {
      if (env.OPENCODE_CONFIG) return [env.OPENCODE_CONFIG]
      const base = env.XDG_CONFIG_HOME || join(home, '.config')
      const folder = env.OPENCODE_CONFIG_DIR || join(base, 'opencode')
      return ['opencode.jsonc', 'config.json', 'opencode.json'].map((name) => join(folder, name))
    },
    settings: (facts) => {
      const { provider, model } = config(facts)
      return [
        { path: ['provider', 'cursor'], value: provider },
        { path: ['model'], value: model },
        { path: ['small_model'], value: model },
      ]
    },
  },
  run: {
    program: 'opencode',
    install: 'npm install -g opencode-ai',
    launch: (facts, args, key) => {
      const { provider, model } = config(facts)
      const content = { provider: { cursor: provider }, model, small_model: model }
      return {
        args,
        // Source: its documentation: merged over all configuration files.
        env: {
          OPENCODE_CONFIG_CONTENT: JSON.stringify(content),
          ...(facts.keyEnv === undefined ? {} : { [facts.keyEnv]: key }),
        },
        unset: [],
      }
    },
  },
}
