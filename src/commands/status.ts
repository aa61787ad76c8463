// `status`: is a service running, where, and how is it? Read from run/service.json and from the service itself.
import { isObject, parseJson, stringAt } from '../lib/json.ts'
import { flatten, get } from '../ops/inquiry.ts'
import { liveService, type ServiceFile } from '../process/service-file.ts'
import { type ConfigFlags, type Context, readConfig } from './context.ts'
import { CommandError, type ExitName } from './exit-codes.ts'

/** @throws CommandError `notRunning` */
export async function status(context: Context, flags: ConfigFlags): Promise<ExitName> {
  const { config, home } = readConfig(context, flags)
  const service = liveService(home)
  if (service === undefined) {
    throw new CommandError('notRunning', 'no service is running; start one with: cursor-adapter')
  }
  const { console } = context
  console.line(headline(service))
  const health = await get(service.url, '/health', config.api_key)
  if (!health.reached) {
    throw new CommandError('unhealthy', `it does not answer at ${service.url}: ${health.reason}`)
  }
  const facts = parseJson(health.body)
  const reason = isObject(facts) ? stringAt(facts, 'reason') : undefined
  const good = health.status === 200
  console.line(
    `health  ${good ? console.paint.good('ok') : console.paint.bad(reason ?? `HTTP ${health.status}`)}`,
  )
  const details = await get(service.url, '/health/details', config.api_key)
  if (details.reached && details.status === 200) {
    for (const [key, value] of flatten(parseJson(details.body))) console.line(`${key}  ${value}`)
  } else {
    const why = details.reached ? `HTTP ${details.status}` : details.reason
    console.note(
      `no details: ${why}${details.reached && details.status === 401 ? ' (is api_key the one the service was started with?)' : ''}`,
    )
  }
  return good ? 'ok' : 'unhealthy'
}

function headline({ url, pid, version, startedAt }: ServiceFile): string {
  return `cursor-adapter ${version} at ${url} (pid ${pid}, started ${startedAt})`
}
