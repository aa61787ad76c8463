// The README says what `setup` prints, and shows the suite as it is.
import { expect, test } from 'vitest'
import { CLIENTS as KNOWN } from '../../src/clients/clients.ts'
import { knownFault } from './known-faults.ts'
import { between, guides } from './readme.ts'
import { CLIENTS, NOT_RUN } from './registry.ts'
import { SCENARIOS } from './scenarios/all.ts'

test('the set-ups in the README are the ones that setup prints', () => {
  expect(between('clients')).toBe(guides())
})

test('the table in the README has every client and every scenario of the suite, and no failure', () => {
  const table = between('clients-table')
  const [head = '', , ...rows] = table.split('\n')
  const cells = (line: string): readonly string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  expect(cells(head)).toEqual(['client', ...SCENARIOS.map(({ name }) => name)])
  const named = rows.filter((line) => line.startsWith('|')).map((line) => cells(line)[0])
  expect(named).toEqual(CLIENTS.map(({ name, version }) => `${name} ${version}`))
  for (const line of rows.filter((row) => row.startsWith('|'))) {
    const [name = '', ...marks] = cells(line)
    for (const [at, mark] of marks.entries()) {
      const scenario = SCENARIOS[at]?.name ?? ''
      if (mark === '✗') expect(knownFault(name.replace(/ \S+$/, ''), scenario), line).toBeDefined()
      else expect(['✓', '–']).toContain(mark)
    }
  }
  for (const { name, reason } of NOT_RUN) expect(table).toContain(`${name}: ${reason}`)
})

test('whatever run starts and setup writes is proved by a client of the suite', () => {
  const able = KNOWN.filter(({ file, run }) => file !== undefined || run !== undefined)
  for (const { name, file, run } of able) {
    const proved = CLIENTS.find(({ setup }) => setup?.name === name)
    expect(proved?.setup?.file !== undefined, name).toBe(file !== undefined)
    expect(proved?.setup?.runArgs !== undefined, name).toBe(run !== undefined)
  }
})
