// Field cases F18, F19: a failure before anything was shown has its real status, a later one is never a normal end.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, errorType, unique, WAYS } from '../support/ask.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { delta, readTool, run } from '../support/steps.ts'

// Over ACP an error is text, and known by its letter.
const BROKEN = { is_error: true, result: 'I: the model broke' }
const connection = (subtype: string) => ({ line: { type: 'connection', subtype, attempt: 1 } })

const EARLY = [
  {
    name: 'an exit right after init',
    steps: [{ stderr: 'something bad happened\n' }, { exit: 3 }],
    status: 500,
    says: /something bad/,
  },
  {
    name: 'an exit after a while',
    steps: [connection('reconnecting'), { sleep: 600 }, { stderr: 'no idea\n' }, { exit: 1 }],
    status: 500,
    says: /no idea/,
  },
  {
    name: 'an error result',
    steps: [{ echo: true }, { result: BROKEN }],
    status: 500,
    says: /broke/,
  },
  {
    name: 'a rate limit',
    steps: [{ stderr: 'Error: resource_exhausted: try again in 7 s\n' }, { exit: 1 }],
    status: 429,
    says: /limits the rate/,
  },
  {
    name: 'words on standard output and exit code 0',
    steps: [{ raw: 'Workspace Trust Required\nPass --trust\n' }, { exit: 0 }],
    status: 500,
    says: /trust/,
  },
  { name: 'an exit without a word', steps: [{ exit: 0 }], status: 500, says: /without a result/ },
  {
    name: 'a crash',
    steps: [{ sleep: 100 }, { signal: 'SIGSEGV' }],
    status: 500,
    says: /killed by SIGSEGV/,
  },
]

/** Print mode says `is_error` or a subtype; ACP has neither. */
const PRINTED = [
  {
    name: 'an error subtype without the flag',
    steps: [delta('half'), { result: { subtype: 'error_during_execution', result: 'it broke' } }],
    says: /it broke/,
  },
]

const LATE = [
  ...(OVER_ACP ? [] : PRINTED),
  { name: 'an error result', steps: [delta('half'), { result: BROKEN }], says: /the model broke/ },
  {
    name: 'an error result after a while',
    steps: [delta('ha'), { sleep: 200 }, delta('lf'), { recap: true }, { result: BROKEN }],
    says: /the model broke/,
  },
  {
    name: 'an exit without a result',
    steps: [delta('half'), { stderr: 'out of memory\n' }, { exit: 134 }],
    says: /SIGABRT/,
  },
  {
    name: 'an end inside a line',
    steps: [delta('half'), { raw: '{"type":"assistant","message":{"ro' }, { exit: 1 }],
    says: /exited with code 1/,
  },
  {
    name: 'an exit while a tool runs',
    steps: [delta('half'), { recap: 'm1' }, readTool('c1')[0], { exit: 1 }],
    says: /exited with code 1/,
  },
]

describe('failures', { timeout: 60_000 }, () => {
  let service: Service
  beforeAll(async () => {
    const early = EARLY.map(({ steps }, index) => run(`early ${index}`, ...steps))
    const late = LATE.map(({ steps }, index) => run(`late ${index}`, ...steps))
    service = await startService({ script: { runs: [...early, ...late] } })
  })
  afterAll(() => service.stop())

  const earlyRows = EARLY.map((row, index) => ({ ...row, index }))
  test.concurrent.each(earlyRows)('F18: $name has its status in every form', async (row) => {
    const ways = WAYS.map(async (way) => {
      const heard = await ask(service, way, unique(`early ${row.index}`))
      expect(heard.status).toBe(row.status)
      expect(heard.headers.get('content-type')).toMatch(/^application\/json/)
      expect(String(heard.error?.message)).toMatch(row.says)
      const expected = way.api === 'messages' ? 'api_error' : 'server_error'
      expect(errorType(way.api, heard)).toBe(row.status === 429 ? 'rate_limit_error' : expected)
      expect(heard.headers.get('retry-after')).toBe(row.status === 429 ? '7' : null)
    })
    await Promise.all(ways)
  })

  const lateRows = LATE.map((row, index) => ({ ...row, index }))
  test.concurrent.each(lateRows)('F19: $name after some text is an error', async (row) => {
    const ways = WAYS.map(async (way) => {
      const heard = await ask(service, way, unique(`late ${row.index}`))
      // That no normal end came before the error is checked where the stream is read.
      expect(heard.status).toBe(way.stream ? 200 : 500)
      expect(heard.text).toBe(way.stream ? 'half' : '')
      expect(heard.finish).toBeUndefined()
      expect(errorType(way.api, heard)).toBe(way.api === 'messages' ? 'api_error' : 'server_error')
      expect(String(heard.error?.message)).toMatch(row.says)
    })
    await Promise.all(ways)
  })
})
