// Which tests are drills: real processes, real time, minutes in all. `npm test` leaves them to `npm run test:drills`.

export const TESTS = 'test/**/*.test.ts'

export const DRILLS = [
  'test/drills/**/*.test.ts',
  'test/backends/acp/{agent,drill}.test.ts',
  'test/backends/print/backend.test.ts',
  'test/commands/{run,running,setup,start}.test.ts',
  'test/e2e/{acp,compat,config,isolation,metrics,models,queue,skills}.test.ts',
  'test/e2e/{streaming-slow,streaming-timing,workspace}.test.ts',
  'test/e2e/process-*.test.ts',
  'test/pool/{back-pressure,closing,endings,property,thread-loss,warm}.test.ts',
]
