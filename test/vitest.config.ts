import { defineConfig } from 'vitest/config'
import { DRILLS, OVER_ACP_TOO, TESTS } from './suites.ts'

/** `--mode drills` runs the drills and, over ACP, what is for both backends; any other mode all the rest. */
export default defineConfig(({ mode }) => {
  const isDrills = mode === 'drills'
  const common = {
    root: new URL('..', import.meta.url).pathname,
    pool: 'forks' as const,
    testTimeout: isDrills ? 60_000 : 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    // Real time on a machine that others use too: `.ci/run` gives a test that failed one more look.
    retry: Number(process.env.TEST_RETRY ?? 0),
  }
  const usual = {
    ...common,
    name: isDrills ? 'drills' : 'tests',
    include: isDrills ? DRILLS : [TESTS],
    exclude: ['**/node_modules/**', ...(isDrills ? [] : DRILLS)],
  }
  const overAcp = {
    ...common,
    name: 'acp',
    include: OVER_ACP_TOO,
    env: { ADAPTER_TEST_BACKEND: 'acp' },
  }
  const projects = isDrills ? [usual, overAcp] : [usual]
  return { test: { maxWorkers: 2, projects: projects.map((test) => ({ test })) } }
})
