// One scenario's surroundings: a service with the demo agent behind it, a tap before it, folders of its own.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { type Ask, type Client, type Env, KEY_ENV } from './client.ts'
import { type Ended, type Running, start } from './running.ts'
import { openTap, type Tap } from './tap.ts'

export interface Scenario {
  readonly name: string
  /** The demo agent's script; see docs/demo-agent.md. `scratch` is a folder of this play. */
  readonly script: (scratch: string, client: Client) => object
  readonly settings?: ServiceOptions['settings']
  /** Further environment of the service and its agents. */
  readonly env?: Env
  /** Cursor is to work in the client's project. */
  readonly handsOver?: boolean
  /** The client goes by the project's own settings and skills. */
  readonly readsProject?: boolean
  /** Libraries offer a tool. */
  readonly bringsTools?: boolean
  /** The service asks for this key. */
  readonly key?: string
  /** The client asks before it does anything. */
  readonly careful?: boolean
  /** Why this client has no part in it; undefined when it has. */
  readonly without?: (client: Client) => string | undefined
  readonly run: (stage: Stage) => Promise<void>
}

export interface Stage {
  readonly client: Client
  readonly service: Service
  readonly tap: Tap
  /** Where client and agent work. */
  readonly project: string
  readonly home: string
  readonly start: (prompt: string, goOn?: boolean) => Promise<Running>
  readonly ask: (prompt: string, goOn?: boolean) => Promise<Ended>
  /** Any program in the client's surroundings. */
  readonly startProgram: (command: readonly string[], env?: Env) => Running
  readonly asking: (prompt: string) => Ask
  /** Prompts that hold this text: what the agents were given for one user turn, side requests left out. */
  readonly prompts: (marker: string) => readonly string[]
}

/** Where a client's packages are, in their order, and the folders of their programs. */
export interface Installation {
  readonly folders: readonly string[]
  readonly path: readonly string[]
}

/** Thrown by a play that cannot be had here, with the reason. */
export class NotPlayed extends Error {
  override readonly name = 'NotPlayed'
}

/** Titles, memories and the like, which clients ask for beside the user's turn. */
const SIDE =
  /[Gg]enerate a (?:short |concise )?title|title for (?:this|the) (?:conversation|session)|memory extraction|[Ss]uggest .{0,40}title/

/** For what is not the scenario's own. */
const side = { match: SIDE.source, steps: [{ init: true }, { delta: 'OK' }, { result: true }] }

/** Plays one scenario. Rejects with what was not as it must be. */
export async function play(
  scenario: Scenario,
  client: Client,
  { folders, path }: Installation,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'clients-test-'))
  const project = join(folder, 'home', 'project')
  const home = join(folder, 'client')
  for (const one of [project, home]) mkdirSync(one, { recursive: true })
  const service = await startService({
    folder,
    script: withSide(scenario.script(folder, client)),
    // Until a scenario says otherwise, Cursor runs its own tools.
    settings: {
      mode: 'agent',
      ...(scenario.key === undefined ? {} : { api_key: scenario.key }),
      ...scenario.settings,
    },
    env: scenario.env ?? {},
  })
  const tap = await openTap(service.url)
  const running: Running[] = []
  const asking = (prompt: string, goOn = false): Ask => ({
    prompt,
    url: tap.url,
    project,
    home,
    goOn,
    handsOver: scenario.handsOver === true,
    readsProject: scenario.readsProject === true,
    bringsTools: scenario.bringsTools === true,
    key: scenario.key,
    careful: scenario.careful === true,
  })
  const environment = (ask: Ask): Env => ({
    ...basics(home, path),
    ...(ask.key === undefined ? {} : { [KEY_ENV]: ask.key }),
    ...client.env?.(ask, folders),
  })
  let isPrepared = false
  const startProgram = (command: readonly string[], env?: Env): Running => {
    const one = start(command, asking(''), { ...environment(asking('')), ...env })
    running.push(one)
    return one
  }
  const begin = async (prompt: string, goOn = false): Promise<Running> => {
    const ask = asking(prompt, goOn)
    if (!isPrepared) await client.prepare?.(ask, startProgram)
    isPrepared = true
    const one = start(client.command(ask, folders), ask, environment(ask))
    running.push(one)
    return one
  }
  try {
    await mustHave(client, service)
    await scenario.run({
      client,
      service,
      tap,
      project,
      home,
      start: begin,
      ask: async (prompt, goOn) => (await begin(prompt, goOn)).ended,
      startProgram,
      asking,
      prompts: (marker) =>
        service.prompts().filter((prompt) => prompt.includes(marker) && !SIDE.test(prompt)),
    })
  } catch (error) {
    if (error instanceof Error && !(error instanceof NotPlayed)) error.message += asked(tap)
    throw error
  } finally {
    for (const one of running) one.signal('SIGKILL')
    tap.close()
    await service.stop()
  }
}

/** What passed the tap, a line each, for whoever must find out what went wrong. */
function asked(tap: Tap): string {
  const lines = tap.turns().map(({ path, status, start, sent, answer }) => {
    const digest = createHash('sha256').update(sent).digest('hex').slice(0, 6)
    return `${path} body ${sent.length} bytes ${digest} → ${status} ${start} ${JSON.stringify(answer.slice(-150))}`
  })
  return `\nasked:\n${lines.join('\n')}`
}

function withSide(script: object): object {
  const runs: unknown = 'runs' in script ? script.runs : []
  return { ...script, runs: [side, ...(Array.isArray(runs) ? runs : [])] }
}

async function mustHave({ needs }: Client, service: Service): Promise<void> {
  if (needs === undefined) return
  const { status } = await service.post(needs, {})
  if (status === 404) throw new NotPlayed(`the service has no ${needs}`)
}

/** Nothing of the caller's environment but PATH goes in, and no way leads outside. */
function basics(home: string, path: readonly string[]): Env {
  return {
    PATH: [...path, process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    // The programs of the suite lie in the checkout.
    PYTHONDONTWRITEBYTECODE: '1',
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
  }
}
