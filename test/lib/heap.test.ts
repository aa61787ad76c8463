// What V8 makes of the flags that are set while it runs: each Node version has its own V8.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const HEAP = new URL('../../dist/src/lib/heap.js', import.meta.url).href

/** Young objects survive: V8 would like more room for them. Prints the megabytes that it has taken after each step. */
const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { keepHeapsSmall, youngHeapMayGrow } from '${HEAP}'
function fill() {
  let kept = []
  for (let made = 0; made < 3e6; made += 1) {
    kept.push({ made })
    if (kept.length > 2e4) kept = []
  }
  const { space_size: bytes } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  console.log(bytes / 2 ** 20)
}
keepHeapsSmall()
fill()
const thread = new Worker('', { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 3 } })
thread.once('exit', () => {
  youngHeapMayGrow(false)
  fill()
  youngHeapMayGrow(true)
  fill()
})`

test('the young heap stays small until it may grow, also after a thread was started', () => {
  const args = ['--input-type=module', '--eval', PROGRAM]
  const sizes = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n')
  const [alone, withThread, grown] = sizes.map(Number)
  expect(alone).toBeLessThanOrEqual(2)
  expect(withThread).toBeLessThanOrEqual(2)
  expect(grown).toBeGreaterThan(4)
})
