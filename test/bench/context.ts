// What every part gets: services and helpers that are ended with the part, and where its rows go.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { type Helper, type HelperName, startHelper } from './helper.ts'
import type { Row } from './report.ts'
import { benchScript } from './script.ts'

/** The agent's own start-up for everything that is about starting. */
export const BOOT_MS = 600

export interface Part {
  readonly quick: boolean
  /** `full` normally, `brief` with --quick. */
  times(full: number, brief: number): number
  row(row: Omit<Row, 'part'>): void
  /** The service on the demo agent that plays the benchmark's script. */
  service(options?: ServiceOptions): Promise<Service>
  /** A measuring process; agents that it starts play the same script, with this start-up time. */
  helper(name: HelperName, bootMs?: number): Helper
}

export type PartRunner = (part: Part) => Promise<void>

/** Runs a part; whatever it started is ended, however it ended. */
export async function runPart(
  name: string,
  run: PartRunner,
  quick: boolean,
  onRow: (row: Row) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'adapter-bench-'))
  const script = join(folder, 'script.json')
  writeFileSync(script, JSON.stringify(benchScript(quick)))
  const services: Service[] = []
  const helpers: Helper[] = []
  try {
    await run({
      quick,
      times: (full, brief) => (quick ? brief : full),
      row: (row) => onRow({ part: name, ...row }),
      async service(options = {}) {
        const env = { CURSOR_ADAPTER_DEMO_BOOT_MS: '0', ...options.env }
        const service = await startService({ script: benchScript(quick), ...options, env })
        services.push(service)
        return service
      },
      helper(name, bootMs = 0) {
        const helper = startHelper(name, {
          PATH: process.env.PATH,
          HOME: folder,
          TMPDIR: folder,
          CURSOR_ADAPTER_DEMO_SCRIPT: script,
          // The service's agents keep one too, and writing it is part of what they do between prompt and first word.
          CURSOR_ADAPTER_DEMO_JOURNAL: join(folder, 'journal.jsonl'),
          CURSOR_ADAPTER_DEMO_BOOT_MS: String(bootMs),
        })
        helpers.push(helper)
        return helper
      },
    })
  } finally {
    for (const helper of helpers) helper.stop()
    await Promise.all(services.map((service) => service.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}
