// Where the service is and what it offers, as the set-up of a client needs it.
import { type Facts, type KnownModel, modelOf } from '../clients/client.ts'
import type { Loaded } from '../config/load.ts'
import { arrayAt, isObject, numberAt, parseJson, stringAt } from '../lib/json.ts'
import { get, reachable } from '../ops/inquiry.ts'
import { liveService } from '../process/service-file.ts'

/** The setting `api_key` as an environment variable: clients are given its name, never the key. */
export const KEY_ENV = 'CURSOR_ADAPTER_API_KEY'
const AUTO: KnownModel = { id: 'auto', label: 'Cursor Auto', contextWindow: undefined }

/** Of the running service, else as configured. */
function addressOf({ config, home }: Loaded): string {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return reachable(liveService(home)?.url ?? `http://${host}:${config.port}`)
}

/** For a service that may not be up: whoever has its port is not asked, and gets no key. */
export async function factsOf(loaded: Loaded, model: string | undefined): Promise<Facts> {
  const url = addressOf(loaded)
  if (liveService(loaded.home) !== undefined) return await factsFor(loaded, url, model)
  return factsWith(loaded, url, model, [])
}

/** Asks the service at `url`, which is ours, for its models; without an answer only Auto is known. */
export async function factsFor(
  loaded: Loaded,
  url: string,
  model: string | undefined,
): Promise<Facts> {
  return factsWith(loaded, url, model, await listModels(url, loaded.config.api_key))
}

function factsWith(
  { config }: Loaded,
  url: string,
  model: string | undefined,
  listed: readonly KnownModel[],
): Facts {
  const keyEnv = config.api_key === null ? undefined : KEY_ENV
  const facts = { url, keyEnv, model, models: listed.length === 0 ? [AUTO] : listed }
  const wanted = modelOf(facts)
  const known = facts.models.some(({ id }) => id === wanted)
  const unlisted = { id: wanted, label: wanted, contextWindow: undefined }
  return known
    ? facts
    : { ...facts, models: [wanted === 'auto' ? AUTO : unlisted, ...facts.models] }
}

async function listModels(url: string, key: string | null): Promise<readonly KnownModel[]> {
  const answer = await get(url, '/v1/models', key)
  const body = answer.reached && answer.status === 200 ? parseJson(answer.body) : undefined
  const data = (isObject(body) ? arrayAt(body, 'data') : undefined) ?? []
  return data.filter(isObject).flatMap((entry) => {
    const id = stringAt(entry, 'id')
    if (id === undefined) return []
    const label = stringAt(entry, 'display_name') ?? id
    return [{ id, label, contextWindow: numberAt(entry, 'context_length') }]
  })
}
