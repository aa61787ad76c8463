// Coding agents that are told by hand: what they need is printed, nothing of theirs is written.
import {
  type Client,
  exports,
  type Facts,
  modelOf,
  NO_KEY,
  PROVIDER,
  shellKey,
  v1,
} from './client.ts'
import type { JsonValue } from './edit/json-value.ts'

const pretty = (value: JsonValue): string => JSON.stringify(value, undefined, 2)
/** `$NAME`, which Crush, pi and Claude Code Router put the environment into. */
const reference = ({ keyEnv }: Facts): string => (keyEnv === undefined ? NO_KEY : `$${keyEnv}`)

/** Source: its README: `crush.json`, provider of type `openai-compat`. */
export const crush: Client = {
  name: 'crush',
  title: 'Crush',
  parts: (facts) => [
    {
      say: 'In `~/.config/crush/crush.json`, or `crush.json` of a project:',
      language: 'json',
      text: pretty({
        $schema: 'https://charm.land/crush.json',
        providers: {
          [PROVIDER]: {
            type: 'openai-compat',
            name: 'Cursor',
            base_url: v1(facts),
            api_key: reference(facts),
            models: [
              {
                id: modelOf(facts),
                name: `Cursor ${modelOf(facts)}`,
                context_window: 200_000,
                default_max_tokens: 32_000,
              },
            ],
          },
        },
        models: {
          large: { provider: PROVIDER, model: modelOf(facts) },
          small: { provider: PROVIDER, model: modelOf(facts) },
        },
      }),
    },
  ],
}

/** Source: `cline auth --help` of 3.0.65 and the file it writes. */
export const cline: Client = {
  name: 'cline',
  title: 'Cline',
  parts: (facts) => [
    {
      say: 'Once, then `cline` as usual:',
      language: 'sh',
      text: `cline auth -p openai-compatible -k ${NO_KEY} -m ${modelOf(facts)} -b ${v1(facts)}`,
    },
    ...(facts.keyEnv === undefined
      ? []
      : [
          {
            say: `Then put the key in the place of \`${NO_KEY}\` (not on the command line, where other users can see it):`,
            language: 'sh' as const,
            text: '$EDITOR ~/.cline/data/settings/providers.json',
          },
        ]),
  ],
  notes: [
    'In the editor extension: API provider "OpenAI Compatible" with the same URL, key and model.',
  ],
}

/** Source: its documentation of `models.json`, 1.6.0. */
export const pi: Client = {
  name: 'pi',
  title: 'pi',
  parts: (facts) => [
    {
      say: 'In `~/.pi/agent/models.json`:',
      language: 'json',
      text: pretty({
        providers: {
          [PROVIDER]: {
            baseUrl: v1(facts),
            api: 'openai-completions',
            apiKey: reference(facts),
            models: [
              {
                id: modelOf(facts),
                name: `Cursor ${modelOf(facts)}`,
                reasoning: false,
                input: ['text', 'image'],
                contextWindow: 200_000,
                maxTokens: 32_000,
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              },
            ],
          },
        },
      }),
    },
    {
      say: 'Then:',
      language: 'sh',
      text: `pi --provider ${PROVIDER} --model ${modelOf(facts)}`,
    },
  ],
}

export const aider: Client = {
  name: 'aider',
  title: 'aider',
  parts: (facts) => [
    {
      say: 'For one shell:',
      language: 'sh',
      text: `${exports({
        OPENAI_API_BASE: v1(facts),
        OPENAI_API_KEY: shellKey(facts),
      })}\naider --model openai/${modelOf(facts)} --no-show-model-warnings`,
    },
  ],
}

/** Source: its README, 2.0.0: full URL of the endpoint; `$NAME` is taken from the environment. */
export const claudeCodeRouter: Client = {
  name: 'claude-code-router',
  title: 'Claude Code Router',
  parts: (facts) => {
    const route = `${PROVIDER},${modelOf(facts)}`
    return [
      {
        say: 'In `~/.claude-code-router/config.json`:',
        language: 'json',
        text: pretty({
          Providers: [
            {
              name: PROVIDER,
              api_base_url: `${v1(facts)}/chat/completions`,
              api_key: reference(facts),
              models: [modelOf(facts)],
            },
          ],
          Router: { default: route, background: route },
        }),
      },
      { say: 'Then:', language: 'sh', text: 'ccr code' },
    ]
  },
  notes: [
    'It is not needed: Claude Code talks to the service directly, and the router drops part of what Claude Code says (its working folder).',
  ],
}
