// The models the demo knows, the text of `models`, and cli-config.json, where the choice of one is kept for the next
// run, with the race that comes with it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, objectAt, parseJson, stringAt } from '../lib/json.ts'
import type { Folders } from './home.ts'
import { uuid } from './lines.ts'
import { misuse, Refused } from './refusal.ts'
import type { Quirk } from './settings.ts'

export interface Model {
  readonly id: string
  readonly label: string
}

// Source: the model list of 2026.10.01: example ids of October 2026. Assumed: the labels, where no capture shows one
// (`Composer 2.5` and `Grok 4.7 256K Extra High` are real), and which variants stand behind each `-*`.
const BUILT_IN = `auto - Auto
composer-2.5 - Composer 2.5
composer-2.5-fast - Composer 2.5 Fast
gpt-5.2 - GPT-5.2
gpt-5.3-codex - GPT-5.3 Codex
gpt-5.3-codex-high - GPT-5.3 Codex High
gpt-5.3-codex-xhigh-fast - GPT-5.3 Codex Extra High Fast
gpt-5.4-low - GPT-5.4 Low
gpt-5.4-medium - GPT-5.4
gpt-5.4-high - GPT-5.4 High
gpt-5.5-medium - GPT-5.5
gpt-5.5-high - GPT-5.5 High
gpt-5.6-sol-low - GPT-5.6 Sol Low
gpt-5.6-sol-medium - GPT-5.6 Sol
gpt-5.6-sol-high - GPT-5.6 Sol High
gpt-5.6-terra-medium - GPT-5.6 Terra
gpt-5.6-luna-medium - GPT-5.6 Luna
claude-4.5-sonnet-thinking - Claude 4.5 Sonnet Thinking
claude-4.6-sonnet-medium-thinking - Claude 4.6 Sonnet Thinking
claude-opus-4-8-thinking-high - Claude Opus 4.8 High Thinking
claude-opus-5-low - Claude Opus 5 Low
claude-opus-5-medium - Claude Opus 5
claude-opus-5-high - Claude Opus 5 High
claude-opus-5-thinking-high - Claude Opus 5 High Thinking
claude-opus-5-5-medium - Claude Opus 5.5
claude-opus-5-5-thinking-high - Claude Opus 5.5 High Thinking
claude-sonnet-5-low - Claude Sonnet 5 Low
claude-sonnet-5-medium - Claude Sonnet 5
claude-sonnet-5-high - Claude Sonnet 5 High
claude-sonnet-5-thinking-medium - Claude Sonnet 5 Thinking
claude-sonnet-5-thinking-high - Claude Sonnet 5 High Thinking
claude-fable-5-medium - Claude Fable 5
gemini-3.1-pro - Gemini 3.1 Pro
gemini-3.2-flash - Gemini 3.2 Flash
grok-4.7-xhigh - Grok 4.7 256K Extra High
cursor-grok-4.6-high - Cursor Grok 4.6 High
kimi-k3-medium - Kimi K3
glm-5.2-high - GLM 5.2 High
muse-spark-1.3-medium - Muse Spark 1.3`

// Source: the model list of 2026.10.01: some bare base ids work though unlisted, and the bracket form only byte for
// byte. Assumed: which.
const UNLISTED: readonly Model[] = [
  { id: 'claude-opus-5', label: 'Claude Opus 5' },
  { id: 'claude-sonnet-5', label: 'Claude Sonnet 5' },
  {
    id: 'claude-opus-5[thinking=true,context=300k,effort=high,fast=false]',
    label: 'Claude Opus 5 300K High Thinking',
  },
]

/** Source: the model list of 2026.10.01. */
const ESCAPE = String.fromCharCode(0x1b)
const NOISE = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]|[\\u200B-\\u200D\\u2060\\uFEFF]`, 'gu')
const LINE = /^(\S+) - (.+?)(?:\s+\((?:current|default)(?:, (?:current|default))?\))*\s*$/u

/** What `models` prints: the file as it is, else the built-in list. @throws Refused when the file cannot be read. */
export function modelsText(file: string | undefined, current: string | undefined): string {
  if (file !== undefined) return readModelsFile(file)
  const lines = BUILT_IN.split('\n').map((line) => {
    const marks = [
      ...(line.startsWith('auto ') ? ['default'] : []),
      ...(current !== undefined && line.startsWith(`${current} `) ? ['current'] : []),
    ]
    return marks.length > 0 ? `${line} (${marks.join(', ')})` : line
  })
  // Source: the model list of 2026.10.01: heading, blank, lines, blank, tip. Assumed: the rest of the tip's sentence.
  const tip = 'Tip: use --model <id> (or /model <id> in interactive mode) to switch.'
  return `Available models\n\n${lines.join('\n')}\n\n${tip}\n`
}

/** The listed models, in order. */
export function listedModels(file: string | undefined): readonly Model[] {
  return modelsText(file, undefined)
    .split('\n')
    .flatMap((line) => {
      const [, id, label] = LINE.exec(line.replaceAll(NOISE, '')) ?? []
      return id === undefined || label === undefined ? [] : [{ id, label }]
    })
}

/** The model that runs for `--model id`; undefined when the CLI would refuse it. */
export function findModel(id: string, file: string | undefined): Model | undefined {
  const all = file === undefined ? [...listedModels(file), ...UNLISTED] : listedModels(file)
  return all.find((model) => model.id === id)
}

function readModelsFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw misuse(`CURSOR_ADAPTER_DEMO_MODELS: ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * The model id of the last run with `--model`. Source: captures of 2026.10.01, reports of 2026: a run without the
 * flag takes what was stored last.
 */
export function storedModel(folders: Folders): string | undefined {
  const config = readConfig(folders)
  return stringAt(objectAt(config, 'model') ?? {}, 'modelId')
}

/**
 * Rewrites the `model` block. Source: captures of 2026.10.01, reports of 2026: temp file and rename, all other keys
 * kept. @throws Refused
 */
export function storeModel(folders: Folders, model: Model, quirks: ReadonlySet<Quirk>): void {
  if (!folders.configIsGiven) return
  const target = join(folders.config, 'cli-config.json')
  // Source: captures of 2026.10.01, reports of 2026: older builds used one temp name for all: parallel starts rename
  // it away from each other.
  const temporary = quirks.has('fixed-temp-name')
    ? `${target}.tmp`
    : `${target}.${process.pid}.${uuid()}.tmp`
  try {
    mkdirSync(folders.config, { recursive: true })
    const { id, label } = model
    const block = {
      modelId: id,
      displayModelId: id,
      displayName: label,
      displayNameShort: label,
      aliases: [],
      maxMode: false,
    }
    const config = { version: 1, ...readConfig(folders), model: block }
    writeFileSync(temporary, JSON.stringify(config, null, 2))
    // Plays the loser of that race without a second process.
    if (quirks.has('config-race')) rmSync(temporary)
    renameSync(temporary, target)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Source: refusals seen in 2026: `Error: ENOENT: no such file or directory, rename '….tmp' -> '…'`, exit 1.
    throw new Refused(`Error: ${error.message}`)
  }
}

function readConfig(folders: Folders): Readonly<Record<string, unknown>> {
  try {
    const parsed = parseJson(readFileSync(join(folders.config, 'cli-config.json'), 'utf8'))
    return isObject(parsed) ? parsed : {}
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}
