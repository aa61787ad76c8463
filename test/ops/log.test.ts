import { expect, test } from 'vitest'
import { createLogger, type LogOptions } from '../../src/ops/log.ts'
import { redactor } from '../../src/ops/redact.ts'

function record(level: LogOptions['level']) {
  const lines: string[] = []
  const redact = redactor({ secrets: ['s3cret-value'], home: '/home/ada' })
  const destination = { write: (line: string) => void lines.push(line) }
  return { lines, logger: createLogger({ level, redact, destination }) }
}

test('a fact is one JSON line with level, time, message and its fields', () => {
  const { lines, logger } = record('info')
  logger.warn('run ended', { outcome: 'failed', ms: 12, warm: true, absent: undefined })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\{.*\}\n$/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    msg: 'run ended',
    outcome: 'failed',
    ms: 12,
    warm: true,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
})

test('lines below the level are not written', () => {
  const { lines, logger } = record('warn')
  logger.debug('a')
  logger.info('b')
  logger.error('c')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['c'])
})

test('keys and the home folder appear in no line, neither in the message nor in a field', () => {
  const { lines, logger } = record('debug')
  logger.debug('child said s3cret-value and crsr_abcdef123456', {
    stderr: 'Bearer tok.en123 at /home/ada/.cursor',
  })
  const text = lines.join('')
  expect(text).not.toMatch(/s3cret-value|abcdef123456|tok\.en123|\/home\/ada/)
  expect(text).toContain('~/.cursor')
})
