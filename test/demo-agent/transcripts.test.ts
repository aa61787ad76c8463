// The fourteen transcripts come out of the demo agent byte for byte.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { linesOf, runAgent } from './run-agent.ts'

const FOLDER = fileURLToPath(new URL('../fixtures/transcripts/', import.meta.url))
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))

test('all fourteen are played as they stand', async () => {
  expect(FILES).toHaveLength(14)
  // One process for all of them: a mark between two files shows where each one ends.
  const steps = FILES.flatMap((file) => [{ play: FOLDER + file }, { raw: `== ${file}\n` }])
  const { stdout, code } = await runAgent({ script: { runs: [{ steps }] } })
  let at = 0
  for (const file of FILES) {
    const expected = Buffer.concat([readFileSync(FOLDER + file), Buffer.from(`== ${file}\n`)])
    expect(stdout.subarray(at, at + expected.length).equals(expected), file).toBe(true)
    at += expected.length
  }
  expect(stdout).toHaveLength(at)
  expect(code).toBe(0)
})

test('a recorded stream can be the script itself', async () => {
  const script = `${FOLDER}06-mcp-tool.jsonl`
  const { stdout, code } = await runAgent({ env: { SCRIPT: script } })
  expect(stdout.equals(readFileSync(script))).toBe(true)
  expect(code).toBe(0)
})

test('a script can play a file and then fail as that run did', async () => {
  const file = `${FOLDER}09-error-exit-reconnect.jsonl`
  const steps = [{ play: file }, { stderr: 'RetriableError: [unavailable] Error\n' }, { exit: 1 }]
  const ended = await runAgent({ script: { runs: [{ steps }] } })
  expect(ended.stdout.equals(readFileSync(file))).toBe(true)
  expect(ended).toMatchObject({ code: 1, stderr: 'RetriableError: [unavailable] Error\n' })
})

test('a torn last line stays torn', async () => {
  const steps = [{ raw: '{"type":"system"}\n{"type":"assis' }]
  const { stdout } = await runAgent({ script: { runs: [{ steps }] } })
  expect(stdout.toString()).toBe('{"type":"system"}\n{"type":"assis')
  expect(linesOf(stdout)).toHaveLength(1)
})
