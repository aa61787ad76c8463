// The facts that a denial ends with: whatever is in the file, or is not, a shell prints a valid denial.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toolNames } from '../../src/core/tool-names.ts'
import { arrayAt, isObject, objectAt, parseJson, stringAt } from '../../src/lib/json.ts'
import { hostFactsFile, stateHostFacts } from '../../src/workspace/host-facts.ts'
import { denial, hooksFor } from '../../src/workspace/sealed-hooks.ts'

const TOOLS = toolNames([{ name: 'Read', description: '', parameters: {} }])

let base: string
let work: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'host-facts-'))
  // As a scratch root may be called.
  work = join(base, `it's $(touch x) a "folder"`)
  mkdirSync(join(work, '.cursor'), { recursive: true })
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function commands(event: string, platform: NodeJS.Platform = 'linux'): string[] {
  const config = parseJson(JSON.stringify(hooksFor(TOOLS, platform, hostFactsFile(work))))
  const hooks = isObject(config) ? (objectAt(config, 'hooks') ?? {}) : {}
  return (arrayAt(hooks, event) ?? [])
    .filter(isObject)
    .map((hook) => stringAt(hook, 'command') ?? '')
}

/** What each hook that denies answers; all must deny. */
function messages(): string[] {
  const events = ['preToolUse', 'beforeShellExecution', 'beforeReadFile', 'beforeMCPExecution']
  return events.flatMap((event) =>
    commands(event).map((command) => {
      const input = JSON.stringify({ tool_name: 'x', mcp_server_name: 'github' })
      const answer = parseJson(
        execFileSync('/bin/sh', ['-c', command], { input, encoding: 'utf8', cwd: base }),
      )
      expect(answer).toMatchObject({ permission: 'deny', user_message: expect.any(String) })
      return isObject(answer) ? (stringAt(answer, 'user_message') ?? '') : ''
    }),
  )
}

test.each([
  "The user's working directory: /home/u/p; Platform: linux",
  String.raw`C:\Users\a\ "b" 'c' ; $(touch y) ${'`id`'} %s %n \n \u0022 !! é 日本 😀`,
  String.raw`ends with a backslash \ `.trim(),
  'x'.repeat(5_000),
])('stand at the end of every denial as they are: %j', (facts) => {
  stateHostFacts(work, facts)
  const said = messages()
  expect(said.length).toBeGreaterThan(10)
  for (const message of said) expect(message.endsWith(`user's machine. ${facts}`)).toBe(true)
  expect(readdirSync(base)).toHaveLength(1)
  expect(readdirSync(work)).toEqual(['.cursor'])
})

test('others take their place, none leave nothing', () => {
  stateHostFacts(work, 'first')
  stateHostFacts(work, 'second')
  for (const message of messages()) expect(message).toMatch(/machine\. second$/)
  stateHostFacts(work, '')
  for (const message of messages()) expect(message).toMatch(/machine\.$/)
  expect(existsSync(hostFactsFile(work))).toBe(false)
})

test('an empty file, one that is not there and one that cannot be read are no facts', () => {
  expect(messages()).toContain(denial(TOOLS, 'read'))
  writeFileSync(hostFactsFile(work), '')
  expect(messages()).toContain(denial(TOOLS, 'read'))
  rmSync(hostFactsFile(work))
  mkdirSync(hostFactsFile(work))
  expect(messages()).toContain(denial(TOOLS, 'read'))
})

test('a room that is gone, or resists, costs the facts only', () => {
  mkdirSync(hostFactsFile(work))
  expect(() => stateHostFacts(work, 'first')).not.toThrow()
  rmSync(work, { recursive: true })
  expect(() => stateHostFacts(work, 'first')).not.toThrow()
})

test('Windows keeps the text it was given at first', () => {
  for (const command of commands('preToolUse', 'win32')) expect(command).not.toContain('host-facts')
})
