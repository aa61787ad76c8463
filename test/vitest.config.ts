import { defineConfig } from 'vitest/config'
import { DRILLS, TESTS } from './suites.ts'

/** `--mode drills` runs the drills, any other mode all the rest. */
export default defineConfig(({ mode }) => {
  const isDrills = mode === 'drills'
  return {
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
  }
})
