// Rows of the result: collected while the parts run, printed as a table with the target beside each, written as JSON.
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

export interface Row {
  readonly part: string
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 'MB' | 'kB' | 'B' | '×' | '/s' | '%' | 's' | 'requests'
  /** `<=` or `>=` and a number of the same unit; without one the row is for information. */
  readonly target?: Target
}

export interface Target {
  readonly is: '<=' | '>='
  readonly limit: number
}

export const atMost = (limit: number): Target => ({ is: '<=', limit })
export const atLeast = (limit: number): Target => ({ is: '>=', limit })

export function meets({ value, target }: Row): boolean | undefined {
  if (target === undefined) return undefined
  return target.is === '<=' ? value <= target.limit : value >= target.limit
}

/** One line of the table. */
export function lineOf(row: Row): string {
  const met = meets(row)
  const verdict = met === undefined ? '' : met ? 'ok' : 'MISS'
  const target = row.target === undefined ? '' : `${row.target.is} ${row.target.limit} ${row.unit}`
  const value = `${shown(row.value)} ${row.unit}`
  return `${row.name.padEnd(62)} ${value.padStart(13)}  ${target.padStart(14)}  ${verdict}`.trimEnd()
}

/** Whole numbers where decimals say nothing. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}

export interface Conditions {
  readonly node: string
  readonly cores: number
  readonly cpu: string
  readonly quick: boolean
  /** Of the last minute, before and after: above the number of cores the machine was shared and times are noisy. */
  readonly load: readonly number[]
}

export function conditions(quick: boolean): Conditions {
  const model = cpus()[0]?.model ?? 'unknown'
  return { node: process.version, cores: cpus().length, cpu: model, quick, load: [loadNow()] }
}

export function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100
}

export function writeResults(file: string, facts: Conditions, rows: readonly Row[]): void {
  const results = rows.map((row) => ({ ...row, met: meets(row) }))
  writeFileSync(
    file,
    `${JSON.stringify({ at: new Date().toISOString(), ...facts, results }, undefined, 2)}\n`,
  )
}
