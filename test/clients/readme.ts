// The generated parts of the README: set-up per client, and the suite's table.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENTS } from '../../src/clients/clients.ts'
import { guideMarkdown } from '../../src/clients/guide.ts'
import { ROOT } from '../support/service.ts'
import { NOT_RUN, CLIENTS as SUITE } from './registry.ts'
import { SCENARIOS } from './scenarios/all.ts'
import { markdown, type Row, rowsIn } from './table.ts'

const FILE = join(ROOT, 'README.md')

/** Text between the markers of that name. @throws when they are missing. */
export function between(name: string, text = readFileSync(FILE, 'utf8')): string {
  const found = new RegExp(`<!-- ${name}:start -->\\n([\\s\\S]*?)\\n?<!-- ${name}:end -->`).exec(
    text,
  )
  if (found?.[1] === undefined) throw new Error(`the README has no markers for ${name}`)
  return found[1]
}

/** What `setup` prints for a service at the usual address, as the README has it. */
export function guides(): string {
  const facts = {
    url: 'http://127.0.0.1:8976',
    keyEnv: undefined,
    model: undefined,
    models: [{ id: 'auto', label: 'Cursor Auto', contextWindow: undefined }],
  }
  return CLIENTS.map((client) => guideMarkdown(client, facts)).join('\n\n')
}

/** Renews the rows of the clients that were played; the others stay as they were. */
export function writeTable(fresh: readonly Row[]): void {
  const names = SCENARIOS.map(({ name }) => name)
  const old = rowsIn(between('clients-table'), names)
  const rows = SUITE.flatMap(({ name, version }) => {
    const same = (row: Row): boolean => row.name === name && row.version === version
    return fresh.find(same) ?? old.find(same) ?? []
  })
  replace('clients-table', markdown(names, rows, NOT_RUN))
}

export const writeGuides = (): void => replace('clients', guides())

function replace(name: string, fresh: string): void {
  const text = readFileSync(FILE, 'utf8')
  const old = between(name, text)
  const [start, end] = [`<!-- ${name}:start -->\n`, `<!-- ${name}:end -->`]
  const at = text.indexOf(start) + start.length
  writeFileSync(
    FILE,
    `${text.slice(0, at)}${fresh}\n${text.slice(text.indexOf(end, at + old.length))}`,
  )
}
