// `models`: the models Cursor offers, from the running service if there is one, else from the CLI.
import type { Loaded } from '../config/load.ts'
import { arrayAt, isObject, parseJson, stringAt } from '../lib/json.ts'
import { parseModelList } from '../models/list.ts'
import { get } from '../ops/inquiry.ts'
import { cliOutput, findCli } from '../process/cli.ts'
import { childEnvironment } from '../process/environment.ts'
import { liveService } from '../process/service-file.ts'
import { type ConfigFlags, type Context, readConfig } from './context.ts'
import { CommandError, type ExitName } from './exit-codes.ts'
import { modelLines } from './welcome.ts'

interface Row {
  readonly id: string
  readonly label: string
  readonly isDefault: boolean
}

/** Source: design, start order: 20 s for the list. */
const LIST_MS = 20_000

/** @throws CommandError when neither gives a list. */
export async function models(context: Context, flags: ConfigFlags): Promise<ExitName> {
  const loaded = readConfig(context, flags)
  const service = liveService(loaded.home)
  const rows =
    (service === undefined ? undefined : await fromService(service.url, loaded)) ??
    (await fromCli(context, loaded))
  for (const line of modelLines(rows, Number.POSITIVE_INFINITY)) context.console.line(line)
  return 'ok'
}

async function fromService(url: string, { config }: Loaded): Promise<readonly Row[] | undefined> {
  const answer = await get(url, '/v1/models', config.api_key, LIST_MS)
  const body = answer.reached && answer.status === 200 ? parseJson(answer.body) : undefined
  const data = isObject(body) ? arrayAt(body, 'data') : undefined
  const rows = (data ?? []).filter(isObject).map((entry) => ({
    id: stringAt(entry, 'id') ?? '',
    label: stringAt(entry, 'display_name') ?? stringAt(entry, 'name') ?? '',
    isDefault: false,
  }))
  return rows.length === 0 ? undefined : rows
}

async function fromCli({ env }: Context, { config }: Loaded): Promise<readonly Row[]> {
  const found = findCli(config.cursor_cli_path, env)
  if ('missing' in found) throw new CommandError('cliMissing', `Cursor's CLI: ${found.missing}`)
  const childEnv = childEnvironment(env, config.cursor.env, 'command')
  const output = await cliOutput(found.path, ['models'], { timeoutMs: LIST_MS, env: childEnv })
  const rows = parseModelList(output.stdout)
  if (output.ok && rows.length > 0) return rows
  const why = output.ok ? 'listed no models' : output.reason
  const said = `${output.stderr}\n${output.stdout}`.trim().split('\n')[0] ?? ''
  throw new CommandError('failed', `Cursor's CLI ${why}: ${said} (not signed in? agent login)`)
}
