// One scenario's surroundings: a service with the demo agent behind it, a tap before it, folders of its own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { type Client, type Ended, type Running, start } from './client.ts'
import { openTap, type Tap } from './tap.ts'

export interface Scenario {
  readonly name: string
  /** The demo agent's script; see docs/demo-agent.md. */
  readonly script: object
  readonly settings?: ServiceOptions['settings']
  readonly run: (stage: Stage) => Promise<void>
}

export interface Stage {
  readonly service: Service
  /** The client's name. */
  readonly client: string
  readonly tap: Tap
  /** Where client and agent work. */
  readonly project: string
  readonly start: (prompt: string, goOn?: boolean) => Running
  readonly ask: (prompt: string, goOn?: boolean) => Promise<Ended>
  /** Prompts that hold this text: what the agents were given for one user turn. */
  readonly prompts: (marker: string) => readonly string[]
}

/** Plays one scenario. Rejects with what was not as it must be. */
export async function play(scenario: Scenario, client: Client, folder: string): Promise<void> {
  const service = await startService({
    script: scenario.script,
    // Scenarios of mode bridge say so.
    settings: { mode: 'agent', ...scenario.settings },
  })
  const tap = await openTap(service.url)
  const project = join(service.folder, 'home', 'project')
  const home = join(service.folder, 'client')
  mkdirSync(project, { recursive: true })
  const running: Running[] = []
  const begin = (prompt: string, goOn = false): Running => {
    const one = start(client, folder, { prompt, url: tap.url, project, home, goOn })
    running.push(one)
    return one
  }
  try {
    await scenario.run({
      service,
      client: client.name,
      tap,
      project,
      start: begin,
      ask: (prompt, goOn) => begin(prompt, goOn).ended,
      prompts: (marker) => service.prompts().filter((prompt) => prompt.includes(marker)),
    })
  } finally {
    for (const one of running) one.signal('SIGKILL')
    tap.close()
    await service.stop()
  }
}
