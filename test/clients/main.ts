// `npm run test:clients`: real clients against the real service with the demo agent, as a table client × scenario.
// `-- --only NAME` and `-- --scenario NAME` (parts of names) pick, `-- --quick` takes the clients that CI runs,
// `-- --readme` puts the rows that were played into the table of the README.
import { parseArgs } from 'node:util'
import type { Client } from './client.ts'
import { binOf, install, NODE_24 } from './install.ts'
import { knownFault } from './known-faults.ts'
import { offline } from './offline.ts'
import { writeTable } from './readme.ts'
import { CLIENTS, NOT_RUN } from './registry.ts'
import { SCENARIOS } from './scenarios/all.ts'
import { type Installation, NotPlayed, play, type Scenario } from './stage.ts'
import { type Cell, markdown, type Row, rowOf } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    scenario: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    readme: { type: 'boolean', default: false },
  },
})

/** By its whole name where there is such a one, else by a part of it. */
function chosen(name: string, wish: string, all: readonly { readonly name: string }[]): boolean {
  const [own, wanted] = [name.toLowerCase(), wish.toLowerCase()]
  const isWhole = all.some((one) => one.name.toLowerCase() === wanted)
  return isWhole ? own === wanted : own.includes(wanted)
}
const clients = CLIENTS.filter(
  ({ name, quick }) => chosen(name, values.only, CLIENTS) && (!values.quick || quick !== undefined),
)
const scenarios = SCENARIOS.filter(({ name }) => chosen(name, values.scenario, SCENARIOS))

let hasFailed = false

async function installed(client: Client): Promise<Installation | string> {
  const folders: string[] = []
  const path: string[] = []
  for (const what of [...client.packages, ...(client.node24 === true ? [NODE_24] : [])]) {
    const outcome = await install(what)
    if (outcome.at === 'missing') return outcome.reason
    folders.push(outcome.folder)
    path.push(binOf(what, outcome.folder))
  }
  return { folders, path }
}

async function played(scenario: Scenario, client: Client, where: Installation): Promise<Cell> {
  const { quick } = client
  if (values.quick && quick !== 'all' && quick?.includes(scenario.name) !== true) {
    return { at: 'without', reason: 'left out of --quick' }
  }
  const reason = client.without?.[scenario.name] ?? scenario.without?.(client)
  if (reason !== undefined) return { at: 'without', reason }
  const cause = knownFault(client.name, scenario.name)
  const startedMs = performance.now()
  try {
    await play(scenario, client, where)
    if (cause !== undefined) process.stderr.write(`no longer a known fault: ${cause}\n`)
    return { at: 'ok', seconds: (performance.now() - startedMs) / 1000 }
  } catch (error) {
    if (error instanceof NotPlayed) return { at: 'without', reason: error.message }
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    const place = stack.split('\n').find((line) => line.includes('/scenarios/')) ?? ''
    process.stderr.write(`${client.name}, ${scenario.name}: ${message}\n${place}\n`)
    hasFailed ||= cause === undefined
    return cause === undefined ? { at: 'failed' } : { at: 'known', cause }
  }
}

function said(cell: Cell): string {
  if (cell.at === 'ok') return `ok ${cell.seconds.toFixed(1)} s`
  if (cell.at === 'without') return `-  ${cell.reason}`
  return cell.at === 'failed' ? 'FAILED' : `known fault: ${cell.cause}`
}

async function rowFor(client: Client): Promise<Row> {
  const title = `${client.name} ${client.version}`
  const say = (what: string, cell: Cell): void =>
    void process.stdout.write(`${title.padEnd(46)}${what.padEnd(28)}${said(cell)}\n`)
  const where = await installed(client)
  if (typeof where === 'string') {
    const cell: Cell = { at: 'without', reason: where }
    say('all scenarios', cell)
    const all = scenarios.map(() => cell)
    return rowOf(client.name, client.version, all)
  }
  const cells: Cell[] = []
  for (const scenario of scenarios) {
    const cell = await played(scenario, client, where)
    say(scenario.name, cell)
    cells.push(cell)
  }
  return rowOf(client.name, client.version, cells)
}

async function main(): Promise<void> {
  // All installs first: afterwards nothing but loopback is there, where the system allows to take it away.
  for (const client of clients) await installed(client)
  const code = await offline()
  if (code !== undefined) {
    process.exitCode = code
    return
  }
  const rows: Row[] = []
  for (const client of clients) {
    rows.push(await rowFor(client))
    // At once: a run that is broken off has not been in vain.
    if (values.readme && scenarios.length === SCENARIOS.length) writeTable(rows)
  }
  const names = scenarios.map(({ name }) => name)
  process.stdout.write(`\n${markdown(names, rows, NOT_RUN)}\n`)
  process.exitCode = hasFailed ? 1 : 0
}

await main()
