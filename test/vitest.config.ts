import { defineConfig } from 'vitest/config'
import { DRILLS, TESTS } from './suites.ts'

/** `SUITE=drills` runs the drills, anything else all the rest. */
const isDrills = process.env.SUITE === 'drills'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: isDrills ? DRILLS : [TESTS],
    exclude: ['**/node_modules/**', ...(isDrills ? [] : DRILLS)],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: isDrills ? 60_000 : 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
})
