// `npm run bench`: the service side by side with the program it runs, as a table with targets and as JSON.
import { parseArgs } from 'node:util'
import { type PartRunner, runPart } from './context.ts'
import { acpCancel, acpMemory, acpThroughput } from './parts/acp.ts'
import { burst } from './parts/burst.ts'
import { cancel } from './parts/cancel.ts'
import { firstToken, fiveAtOnce } from './parts/first-token.ts'
import { memory } from './parts/memory.ts'
import { relay } from './parts/relay.ts'
import { throughput } from './parts/throughput.ts'
import { toolRoundTrip } from './parts/tool-round-trip.ts'
import { rounds, turns } from './parts/turns.ts'
import { conditions, lineOf, loadNow, meets, type Row, writeResults } from './report.ts'

const PARTS: Readonly<Record<string, PartRunner>> = {
  first: firstToken,
  five: fiveAtOnce,
  relay,
  burst,
  memory,
  throughput,
  cancel,
  turns,
  rounds,
  'tool-round-trip': toolRoundTrip,
  'acp-throughput': acpThroughput,
  'acp-memory': acpMemory,
  'acp-cancel': acpCancel,
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    json: { type: 'string', default: 'bench-results.json' },
  },
})

const rows: Row[] = []
const facts = conditions(values.quick)
for (const name of values.only) {
  const run = PARTS[name]
  if (run === undefined) throw new Error(`--only: expected one of ${Object.keys(PARTS).join(', ')}`)
  console.log(`\n${name}`)
  await runPart(name, run, values.quick, (row) => {
    rows.push(row)
    console.log(`  ${lineOf(row)}`)
  })
}
const load = [...facts.load, loadNow()]
writeResults(values.json, { ...facts, load }, rows)
const missed = rows.filter((row) => meets(row) === false)
const measured = rows.filter((row) => row.target !== undefined)
console.log(
  `\n${measured.length - missed.length} of ${measured.length} targets met; Node ${facts.node}, ${facts.cores} cores, load ${load.join(' → ')}; ${values.json} written`,
)
