// Claude Code: the Messages API, by environment or by the `env` block of its settings.
import { join } from 'node:path'
import {
  type Client,
  exports,
  type Facts,
  NO_KEY,
  names,
  type Setting,
  shellKey,
} from './client.ts'
import { withValue } from './edit/json-value.ts'

// Source: Claude Code 2.1.332, measured. Without the first, MCP tools are hidden behind a search tool; with the second
// every request says whether it is the main turn, a sub-agent or a compaction.
const SWITCHES = { ENABLE_TOOL_SEARCH: 'false', CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1' }
/** Assumed where nothing better is known: the smallest window that Cursor was seen to offer. */
const CONTEXT = 200_000

/** It takes newer and unknown models for ones of 1M tokens (measured) and would not compact before Cursor refuses. */
const compaction = ({ model, models }: Facts): Readonly<Record<string, string>> => {
  const window = models.find(({ id }) => id === model)?.contextWindow ?? CONTEXT
  return { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(window) }
}

/** Its own model names work as they are; a name given takes the place of the main and of the small model. */
const models = ({ model }: Facts): Readonly<Record<string, string>> =>
  model === undefined ? {} : { ANTHROPIC_MODEL: model, ANTHROPIC_DEFAULT_HAIKU_MODEL: model }

function settings(facts: Facts): readonly Setting[] {
  const { url, keyEnv } = facts
  const env = {
    ANTHROPIC_BASE_URL: url,
    ...(keyEnv === undefined ? { ANTHROPIC_AUTH_TOKEN: NO_KEY } : {}),
    ...SWITCHES,
    ...compaction(facts),
    ...models(facts),
  }
  return [
    ...Object.entries(env).map(([name, value]) => ({ path: ['env', name], value })),
    // Its settings know no references; the command's output is the key.
    ...(keyEnv === undefined ? [] : [{ path: ['apiKeyHelper'], value: `printenv ${keyEnv}` }]),
  ]
}

const asObject = (all: readonly Setting[]): unknown =>
  all.reduce<unknown>((base, { path, value }) => withValue(base, path, value), {})

export const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  parts: (facts) => [
    {
      say: 'For one shell:',
      language: 'sh',
      text: `${exports({
        ANTHROPIC_BASE_URL: facts.url,
        ANTHROPIC_AUTH_TOKEN: shellKey(facts),
        ...SWITCHES,
        ...compaction(facts),
        ...models(facts),
      })}\nclaude`,
    },
    {
      say: 'For good, in `~/.claude/settings.json`:',
      language: 'json',
      text: JSON.stringify(asObject(settings(facts)), undefined, 2),
    },
  ],
  notes: [
    'Its own model names (sonnet, opus, haiku) are taken as the newest of that family that Cursor has.',
  ],
  file: {
    format: 'jsonc',
    // Source: its documentation of settings; CLAUDE_CONFIG_DIR replaces ~/.claude.
    paths: ({ env, home }) => [
      join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    ],
    settings,
  },
  run: {
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    launch: (facts, args, key) => {
      const open = {
        ANTHROPIC_BASE_URL: facts.url,
        ...SWITCHES,
        ...compaction(facts),
        ...models(facts),
      }
      // The `env` block of the user's settings wins over the environment, these settings win over both.
      const over = ['--settings', JSON.stringify({ env: open })]
      return {
        args: names(args, '--settings') ? args : [...over, ...args],
        env: { ...open, ANTHROPIC_AUTH_TOKEN: key },
        unset: [
          'ANTHROPIC_API_KEY',
          'CLAUDE_CODE_OAUTH_TOKEN',
          'CLAUDE_CODE_USE_BEDROCK',
          'CLAUDE_CODE_USE_VERTEX',
          'CLAUDE_CODE_USE_FOUNDRY',
        ],
      }
    },
  },
}
