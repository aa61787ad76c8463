// Which tests are drills: real processes, real time, minutes in all. `npm test` leaves them to `npm run test:drills`.

export const TESTS = 'test/**/*.test.ts'

export const DRILLS = [
  'test/drills/**/*.test.ts',
  'test/backends/acp/{agent,drill,session-folders}.test.ts',
  'test/backends/bridge.test.ts',
  'test/backends/print/backend.test.ts',
  'test/commands/{run,running,setup,start}.test.ts',
  'test/e2e/bridge-{limits,odd,property,tools}.test.ts',
  'test/e2e/{acp,compat,config,isolation,metrics,models,queue,retries,side-by-side,skills,warm}.test.ts',
  'test/e2e/{streaming-slow,streaming-timing,workspace}.test.ts',
  'test/e2e/process-*.test.ts',
  'test/pool/{back-pressure,client-tools,closing,endings,property,thread-loss,warm}.test.ts',
]

/** Suites that are written for both backends: the drills run them once more over ACP (`BACKEND` of support/service.ts). */
export const OVER_ACP_TOO = [
  'test/e2e/{anthropic-sdk,side-by-side,openai-sdk,warm,byte-exact,cut-off,security,tools,translation}.test.ts',
  'test/e2e/streaming-*.test.ts',
  'test/e2e/{compat,config,metrics,models,queue,retries,workspace}.test.ts',
  'test/e2e/process-{endings,isolation,prompts,refusals,service}.test.ts',
]
