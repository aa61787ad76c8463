// The CLI in print mode as doctor runs it: in folders of its own, one prompt, the result line.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, objectAt, parseJson, stringAt } from '../lib/json.ts'
import { type Child, startChild } from '../process/child.ts'
import { childEnvironment } from '../process/environment.ts'
import { seedConfig } from '../workspace/cursor-home.ts'
import type { Patient } from './finding.ts'

export const END = { exitGraceMs: 3000, killGraceMs: 500, hasPs: false }

/** Starts the CLI in print mode, waiting for its prompt; what it writes goes into `folder`. */
export async function printProcess(
  command: string,
  folder: string,
  { env, loaded }: Patient,
  more: readonly string[] = [],
): Promise<Child> {
  const { cursor, default_model } = loaded.config
  const [work, config] = [join(folder, 'work'), join(folder, 'config')]
  await mkdir(work, { recursive: true })
  const extra: Record<string, string> = { ...cursor.env }
  if (cursor.config_dir === 'private') {
    await seedConfig(config, env, { sealed: false })
    extra.CURSOR_CONFIG_DIR = config
    extra.CURSOR_DATA_DIR = join(folder, 'data')
  }
  const args = ['-p', '--output-format', 'stream-json', '--stream-partial-output', '--trust']
  return startChild({
    command,
    args: [...args, '--model', default_model, '--workspace', work, ...more],
    cwd: work,
    env: childEnvironment(env, extra, 'doctor'),
    maxLineBytes: 64 << 20,
  })
}

export interface RunResult {
  readonly isError: boolean
  readonly text: string
  readonly usage: boolean
  readonly chatId: string
}

export function resultIn(lines: readonly string[]): RunResult | undefined {
  for (const line of lines) {
    const value = parseJson(line)
    if (!isObject(value) || value.type !== 'result') continue
    const usage = objectAt(value, 'usage') !== undefined
    const chatId = stringAt(value, 'session_id') ?? ''
    return {
      isError: value.is_error === true,
      text: stringAt(value, 'result') ?? '',
      usage,
      chatId,
    }
  }
  return undefined
}
