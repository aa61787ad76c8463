// The README says what `setup` prints, and shows the suite as it is.
import { expect, test } from 'vitest'
import { CLIENTS as KNOWN } from '../../src/clients/clients.ts'
import { knownFault } from './known-faults.ts'
import { between, guides } from './readme.ts'
import { CLIENTS, NOT_RUN } from './registry.ts'
import { SCENARIOS } from './scenarios/all.ts'
import { markdown, rowsIn } from './table.ts'

test('the set-ups in the README are the ones that setup prints', () => {
  expect(between('clients')).toBe(guides())
})

test('the table in the README has every client and every scenario of the suite, and no unknown failure', () => {
  const table = between('clients-table')
  const names = SCENARIOS.map(({ name }) => name)
  const rows = rowsIn(table, names)
  expect(rows.map(({ name, version }) => `${name} ${version}`)).toEqual(
    CLIENTS.map(({ name, version }) => `${name} ${version}`),
  )
  for (const { name, marks, nothing } of rows) {
    if (nothing !== undefined) continue
    expect(marks).toHaveLength(names.length)
    for (const [at, mark] of marks.entries()) {
      if (mark === '✗') expect(knownFault(name, names[at] ?? ''), name).toBeDefined()
      else expect(['✓', '–']).toContain(mark)
    }
  }
  expect(table).toBe(markdown(names, rows, NOT_RUN))
})

test('whatever run starts and setup writes is proved by a client of the suite', () => {
  const able = KNOWN.filter(({ file, run }) => file !== undefined || run !== undefined)
  for (const { name, file, run } of able) {
    const proved = CLIENTS.find(({ setup }) => setup?.name === name)
    expect(proved?.setup?.file !== undefined, name).toBe(file !== undefined)
    expect(proved?.setup?.runArgs !== undefined, name).toBe(run !== undefined)
  }
})
