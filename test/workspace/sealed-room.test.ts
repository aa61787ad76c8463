// The sealed room: its hooks as a shell runs them, its approvals as the CLI looks them up.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toolNames } from '../../src/core/tool-names.ts'
import { projectServers } from '../../src/demo-agent/mcp-servers.ts'
import { readRules } from '../../src/demo-agent/permission-rules.ts'
import { arrayAt, isObject, objectAt, parseJson, stringAt } from '../../src/lib/json.ts'
import { hooksFor } from '../../src/workspace/sealed-hooks.ts'
import { sealRoom } from '../../src/workspace/sealed-room.ts'

const tools = (...names: readonly string[]) =>
  toolNames(names.map((name) => ({ name, description: '', parameters: {} })))

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sealed-'))
  for (const name of ['work', 'data', 'config']) mkdirSync(join(base, name))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const folders = (): Parameters<typeof projectServers>[0]['folders'] => ({
  config: join(base, 'config'),
  configIsGiven: true,
  data: join(base, 'data'),
  dataIsGiven: true,
  login: join(base, 'login'),
})

describe('approval', () => {
  const url = 'http://127.0.0.1:9/mcp/secret'

  test('the file approves our server without the flag; without the file it is skipped', async () => {
    const work = join(base, 'work')
    const asked = { workspace: work, folders: folders(), approvesAll: false }
    const room = { work, tools: tools('Read'), url, isServerInFile: true }
    await sealRoom({ ...room, data: undefined })
    expect(projectServers(asked)).toEqual({ approved: [], skipped: ['client'] })
    await sealRoom({ ...room, data: join(base, 'data') })
    expect(projectServers(asked)).toEqual({
      approved: [{ name: 'client', url, headers: {} }],
      skipped: [],
    })
    expect(
      projectServers({ ...asked, folders: { ...folders(), data: '/nowhere' } }).approved,
    ).toEqual([])
    expect(
      projectServers({ ...asked, folders: { ...folders(), data: '/nowhere' }, approvesAll: true })
        .approved,
    ).toHaveLength(1)
  })

  test('a repository around the scratch root is the project then', async () => {
    mkdirSync(join(base, '.git'))
    const work = join(base, 'work')
    await sealRoom({
      work,
      tools: tools('Read'),
      url,
      isServerInFile: true,
      data: join(base, 'data'),
    })
    const asked = { workspace: work, folders: folders(), approvesAll: false }
    expect(projectServers(asked).approved).toHaveLength(1)
  })

  test('permissions: our server and nothing of Cursor’s own', async () => {
    const work = join(base, 'work')
    await sealRoom({ work, tools: tools('Read'), url, isServerInFile: false, data: undefined })
    const rules = readRules(join(base, 'config'), work)
    expect(rules.verdict('Mcp', 'client:Read')).toBe('allow')
    expect(rules.verdict('Mcp', 'github:issues')).toBe('unsaid')
    expect(rules.verdict('Shell', 'ls -la /')).toBe('deny')
    expect(rules.verdict('Read', '/etc/passwd')).toBe('deny')
    expect(rules.verdict('Write', 'a/b.txt')).toBe('deny')
    expect(rules.verdict('WebFetch', 'example.com')).toBe('deny')
  })
})

describe('hooks', () => {
  interface Hook {
    readonly matcher: string | undefined
    readonly command: string
  }

  function hooks(
    event: string,
    names: readonly string[],
    platform: NodeJS.Platform = 'linux',
  ): Hook[] {
    const found = hooksFor(tools(...names), platform, join(base, 'no facts'))
    const config: unknown = parseJson(JSON.stringify(found))
    const all = isObject(config) ? (objectAt(config, 'hooks') ?? {}) : {}
    return (arrayAt(all, event) ?? []).filter(isObject).map((hook) => {
      expect(hook.failClosed).toBe(true)
      return { matcher: stringAt(hook, 'matcher'), command: stringAt(hook, 'command') ?? '' }
    })
  }

  const answerOf = ({ command }: Hook, input: object = {}): unknown =>
    parseJson(
      execFileSync('/bin/sh', ['-c', command], { input: JSON.stringify(input), encoding: 'utf8' }),
    )

  const fitting = (tool: string, names: readonly string[]): Hook[] =>
    hooks('preToolUse', names).filter(({ matcher }) => new RegExp(matcher ?? '', 'u').test(tool))

  test.each([
    ['Read', 'read_file'],
    ['Shell', 'bash'],
    ['Write', 'edit'],
    ['Grep', 'bash'],
    ['WebFetch', 'bash'],
  ])('%s is denied by exactly one, which names %s', (tool, instead) => {
    const [hook, ...more] = fitting(tool, ['read_file', 'bash', 'edit'])
    expect(more).toEqual([])
    if (hook === undefined) throw new Error('no hook')
    expect(answerOf(hook)).toEqual({
      permission: 'deny',
      user_message: expect.stringContaining(`Use the tool "${instead}" of the MCP server "client"`),
    })
  })

  test.each(['Task', 'TodoWrite', 'GenerateImage', 'something new'])('%s too, by one', (tool) => {
    const found = fitting(tool, ['a', 'b'])
    expect(found).toHaveLength(1)
    expect(found.map((hook) => answerOf(hook))).toEqual([
      { permission: 'deny', user_message: expect.stringContaining('a, b') },
    ])
  })

  test.each(['MCP:Read', 'MCP:Shell', 'MCP:anything'])('%s is let through', (tool) => {
    expect(fitting(tool, ['Read'])).toEqual([])
  })

  test('names that a shell would take as its own stay text', () => {
    const odd = ['$(touch x)', "it's", '`id`', 'a"b', 'back\\slash', 'über']
    const [hook] = fitting('Task', odd)
    if (hook === undefined) throw new Error('no hook')
    const offered = tools(...odd).offered.map((one) => one.offered)
    expect(answerOf(hook)).toMatchObject({
      user_message: expect.stringContaining(offered.join(', ')),
    })
  })

  test('calls of another server are denied, ours are not, nor those that name none', () => {
    const [hook] = hooks('beforeMCPExecution', ['Read'])
    if (hook === undefined) throw new Error('no hook')
    const asked = (more: object) => answerOf(hook, { tool_name: 'Read', ...more })
    expect(asked({ mcp_server_name: 'client' })).toEqual({ permission: 'allow' })
    expect(asked({})).toEqual({ permission: 'allow' })
    expect(asked({ mcp_server_name: 'github' })).toMatchObject({ permission: 'deny' })
    expect(asked({ mcp_server_name: 'client2' })).toMatchObject({ permission: 'deny' })
  })

  test('on Windows they are lines for cmd, without what cmd takes as its own', () => {
    for (const { command } of hooks('preToolUse', ['Read'], 'win32')) {
      expect(command).toMatch(/^echo \{"permission":"deny","user_message":"[^&|<>^%]*"\}$/)
    }
    expect(hooks('beforeMCPExecution', ['Read'], 'win32')).toEqual([])
  })
})

test('nothing of the token stands outside the file that names the server', async () => {
  const work = join(base, 'work')
  const url = 'http://127.0.0.1:9/mcp/secret'
  await sealRoom({
    work,
    tools: tools('Read'),
    url,
    isServerInFile: true,
    data: join(base, 'data'),
  })
  for (const name of ['hooks.json', 'cli.json']) {
    expect(readFileSync(join(work, '.cursor', name), 'utf8')).not.toContain('secret')
  }
})
