// How findings and assumptions are printed.
import { ASSUMPTIONS, type Finding, type Result, type Settled } from '../doctor/finding.ts'
import type { Console, Paint } from './console.ts'

const MARKS: Readonly<Record<Result['at'], keyof Paint>> = {
  good: 'good',
  warning: 'warn',
  bad: 'bad',
  skipped: 'faint',
}

export function printResult(
  console: Console,
  { name, why }: Finding,
  { at, text, fix }: Result,
  redact: (text: string) => string,
): void {
  console.line(`${console.paint[MARKS[at]](at.padEnd(7))}  ${name}: ${redact(text)}`)
  if (fix === undefined) return
  console.line(`         why: ${why}`)
  console.line(`         fix: ${redact(fix)}`)
}

export function printAssumptions(console: Console, settled: Settled): void {
  console.line('\nassumptions about the CLI:')
  for (const [name, text] of Object.entries(ASSUMPTIONS)) {
    const answer = new Map(Object.entries(settled)).get(name)
    const word = answer === undefined ? 'open' : answer ? 'holds' : 'FAILS'
    console.line(`  ${word.padEnd(5)}  ${name}: ${text}`)
  }
}
