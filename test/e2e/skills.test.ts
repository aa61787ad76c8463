// Skills that a client advertises: made known to Cursor as rules, used, and gone afterwards. The experiments are those of
// a study of April 2026; the demo agent plays what the real one was seen to do in them.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { agents, prompted } from '../support/agents.ts'
import { type Heard, send, unique, WAYS, type Way } from '../support/ask.ts'
import { claudeRequest, slashCall } from '../support/claude-request.ts'
import { within } from '../support/pace.ts'
import { ROOT, type Service, type ServiceOptions, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: 60_000 })

const SCRIPT = join(ROOT, 'test/fixtures/agent/simplify.json')
const MESSY = `export function add(a: number, b: number): number {
  const result: number = a + b;
  return result;
}
`
const TIDY = `export function add(a: number, b: number): number {
  return a + b;
}
`
const STREAM: Way = { api: 'messages', stream: true }
const SKILLS = ['dataviz', 'simplify', 'init', 'security-review', 'plugin:thing']

const running: Service[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()))
})

async function start(options: ServiceOptions): Promise<Service> {
  const settings = { 'pool.warm': 0, ...options.settings }
  const service = await startService({ script: SCRIPT, ...options, settings })
  running.push(service)
  return service
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })

let made = 0
/** A clean git folder with the messy file and whatever else, below a service's home. */
function project(
  service: Pick<Service, 'folder'>,
  more: Readonly<Record<string, string>> = {},
): string {
  made += 1
  const folder = join(service.folder, 'home', `project-${made}`)
  for (const [name, text] of Object.entries({ 'messy.ts': MESSY, ...more })) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  git(folder, 'init', '-q')
  git(folder, 'add', '-A')
  git(folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'one')
  return realpathSync(folder)
}

function ask(
  service: Service,
  prompt: string,
  init: { readonly folder?: string; readonly skills?: readonly string[]; readonly way?: Way } = {},
): Promise<Heard> {
  const { folder, skills = SKILLS, way = STREAM } = init
  const headers =
    folder === undefined ? {} : { 'x-cursor-workspace': folder, 'x-cursor-mode': 'agent' }
  const body = claudeRequest({ prompt, skills, ...(folder === undefined ? {} : { folder }) })
  return send(service, way, body, { headers: { 'x-cursor-mode': 'agent', ...headers } })
}

interface Shown {
  readonly name: string
  readonly input: JsonObject
  readonly result: string
}

/** The tools that the client was shown, with their results, in the order of their starts. */
function shownTools(heard: Heard): Shown[] {
  const blocks = (arrayAt(heard.reply, 'content') ?? []).filter(isObject)
  const results = new Map(
    blocks.map((block) => [stringAt(block, 'tool_use_id'), JSON.stringify(block.content)]),
  )
  return blocks
    .filter((block) => block.type === 'server_tool_use')
    .map((block) => ({
      name: stringAt(block, 'name') ?? '',
      input: objectAt(block, 'input') ?? {},
      result: results.get(stringAt(block, 'id')) ?? '',
    }))
}

async function nothingLeftIn(folder: string): Promise<void> {
  const exclude = join(folder, '.git/info/exclude')
  await until(`the rules in ${folder} to be gone`, within(5_000), () => {
    const isHidden = readFileSync(exclude, 'utf8').includes('cursor-adapter')
    return !isHidden && !existsSync(join(folder, '.cursor'))
  })
}

describe('with a new CLI', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script: SCRIPT, settings: { 'pool.warm': 0 } })
  })
  afterAll(() => service.stop())

  test.each([
    'Please run /simplify on messy.ts in the current directory.',
    'Use the simplify skill on messy.ts.',
    'You have a tool named Skill. Invoke it now with parameters {skill: "simplify", args: "messy.ts"}. Do not do any work yourself: your only job is to emit that one Skill tool call.',
  ])('%s: the agent reads the rule first, then globs, reads, edits and lints', async (prompt) => {
    const folder = project(service)
    const heard = await ask(service, `${prompt} ${unique('')}`, { folder })
    expect(heard.finish).toBe('end_turn')
    const shown = shownTools(heard)
    expect(shown.map(({ name }) => name)).toEqual([
      'Read',
      'Glob',
      'Read',
      'Edit',
      expect.any(String),
    ])
    const rule = join(folder, '.cursor/rules/cursor-adapter-simplify.mdc')
    expect(shown[0]?.input).toEqual({ file_path: rule })
    expect(shown[0]?.result).not.toMatch(/not found|error_code/i)
    expect(readFileSync(join(folder, 'messy.ts'), 'utf8')).toBe(TIDY)
    await nothingLeftIn(folder)
    expect(git(folder, 'status', '--porcelain', '--ignored')).toBe(' M messy.ts\n')

    const sent = service.prompts().at(-1) ?? ''
    expect(sent).toContain(
      `is the rule @cursor-adapter-simplify: read .cursor/rules/cursor-adapter-simplify.mdc first`,
    )
    expect(sent).toContain('There is no tool named Skill here')
    expect(sent).not.toMatch(/for use with the Skill tool|for the Agent tool|dataviz/)
    expect(sent).toContain(`Primary working directory: ${folder}`)
  })

  test.each(WAYS.filter(({ api }) => api === 'messages'))(
    'a turn that calls no skill has the rules and no word about them, stream: $stream',
    async (way) => {
      const folder = project(service)
      const reply = ask(service, unique('hold'), { folder, way })
      await until('the rules to be there', within(10_000), () =>
        existsSync(join(folder, '.cursor/rules')),
      )
      await until('the agent to hold', within(10_000), () =>
        agents(service).some(({ cwd }) => cwd === folder),
      )
      expect(readdirSync(join(folder, '.cursor/rules')).toSorted()).toEqual(
        ['init', 'security-review', 'simplify'].map((name) => `cursor-adapter-${name}.mdc`),
      )
      expect(git(folder, 'status', '--porcelain', '--untracked-files=all')).toBe('')
      writeFileSync(join(folder, 'go'), '')
      expect((await reply).text).toBe('holding done')
      expect(service.prompts().at(-1)).not.toMatch(/@cursor-adapter|no tool named Skill/)
      await nothingLeftIn(folder)
    },
  )

  test('runs at once in one folder share the rules; the last one out takes them away', async () => {
    const folder = project(service)
    const [first, second] = [unique('hold 1'), unique('hold 2')]
    const short = { folder, skills: ['simplify', 'review'] }
    const replies = [ask(service, first, { folder }), ask(service, second, short)]
    await Promise.all([prompted(service, first), prompted(service, second)])
    const rules = (): string[] => readdirSync(join(folder, '.cursor/rules'))
    expect(rules()).toHaveLength(4)
    const left = new AbortController()
    const third = send(
      service,
      STREAM,
      claudeRequest({ prompt: unique('hold 3'), skills: ['simplify'] }),
      { headers: { 'x-cursor-workspace': folder }, signal: left.signal },
    )
    await until('a third agent', within(10_000), () => {
      return agents(service).filter(({ cwd }) => cwd === folder).length === 3
    })
    left.abort()
    await expect(third).rejects.toThrow(/abort/i)
    await until('the third agent to be gone', within(5_000), async () => {
      return (await service.metric('cursor_adapter_runs_active')) === 2
    })
    expect(rules()).toHaveLength(4)
    writeFileSync(join(folder, 'go'), '')
    for (const { text } of await Promise.all(replies)) expect(text).toBe('holding done')
    await nothingLeftIn(folder)
  })

  test("the project's own rules and skills stay and are what is pointed to", async () => {
    const own = '---\ndescription: ours\n---\nown\n'
    const folder = project(service, {
      '.cursor/rules/simplify.mdc': own,
      '.claude/skills/deploy/SKILL.md': '---\nname: deploy\n---\nDeploy.\n',
    })
    const text = unique('run /deploy, then /simplify')
    await ask(service, text, { folder, skills: ['deploy', 'simplify'] })
    const sent = service.prompts().at(-1) ?? ''
    expect(sent).toContain(join(folder, '.claude/skills/deploy/SKILL.md'))
    expect(sent).toContain("this project's own @simplify")
    expect(readFileSync(join(folder, '.cursor/rules/simplify.mdc'), 'utf8')).toBe(own)
    expect(git(folder, 'diff', '--stat', '--', '.cursor')).toBe('')
    expect(git(folder, 'status', '--porcelain', '--ignored', '--', '.cursor')).toBe('')
  })

  test('a slash call that Claude Code has already replaced by its own text is left as it is', async () => {
    const folder = project(service)
    const expanded = slashCall(
      'simplify',
      'messy.ts',
      `${unique('hold')}: # Clean up\nAs /simplify does.`,
    )
    writeFileSync(join(folder, 'go'), '')
    await ask(service, expanded, { folder })
    const sent = service.prompts().at(-1) ?? ''
    expect(sent).toContain('# Clean up')
    expect(sent).not.toContain('@cursor-adapter')
    await nothingLeftIn(folder)
  })

  test('a folder whose .cursor is a file: the run goes on with the instructions in its prompt', async () => {
    const folder = project(service, { '.cursor': 'a file' })
    const heard = await ask(service, unique('/simplify messy.ts'), { folder })
    expect(heard.finish).toBe('end_turn')
    const sent = service.prompts().at(-1) ?? ''
    expect(sent).toContain('Follow these instructions of the skill /simplify:')
    expect(sent).toContain('Make the code simpler to read and to change.')
    expect(sent).not.toContain('@cursor-adapter')
    expect(git(folder, 'status', '--porcelain', '--ignored')).toBe(' M messy.ts\n')
  })

  test('without a workspace the rules are in the scratch folder', async () => {
    const heard = await ask(service, unique('/simplify messy.ts'))
    expect(shownTools(heard)[0]?.result).not.toMatch(/not found|error_code/i)
    const rule = String(shownTools(heard)[0]?.input.file_path)
    expect(rule.startsWith(realpathSync(service.scratchRoot))).toBe(true)
  })
})

describe('with a CLI that does not read skills by itself', () => {
  let service: Service
  let extra = ''
  beforeAll(async () => {
    extra = realpathSync(mkdtempSync(join(tmpdir(), 'adapter-extra-')))
    mkdirSync(join(extra, 'ship'))
    writeFileSync(join(extra, 'ship/SKILL.md'), '---\nname: ship\n---\nFirst /fanout, then ship.\n')
    service = await startService({
      script: SCRIPT,
      settings: { 'pool.warm': 0, 'skills.dirs': extra },
      env: { CURSOR_ADAPTER_DEMO_VERSION: '2025.12.17-996666f' },
    })
  })
  afterAll(() => service.stop())

  const FANOUT = {
    '.claude/skills/fanout/SKILL.md':
      '---\nname: fanout\ndescription: Fan out\nallowed-tools: Read\n---\nStart three sub-agents in one turn on $ARGUMENTS.\n',
    'CLAUDE.md': 'Use tabs.\n',
  }

  test('a fan-out of three sub-agents is shown as three calls, each once, inner steps inside', async () => {
    const folder = project(service, FANOUT)
    const heard = await ask(service, unique('/fanout messy.ts'), { folder, skills: ['fanout'] })
    const shown = shownTools(heard)
    expect(shown[0]?.input.file_path).toBe(join(folder, '.cursor/rules/cursor-adapter-fanout.mdc'))
    expect(shown[0]?.result).not.toMatch(/not found|error_code/i)
    const tasks = shown.filter(({ name }) => name === 'Agent' || name === 'Task')
    expect(tasks.map(({ input }) => input.description)).toEqual([
      'Count lines in messy.ts',
      'Count exports in messy.ts',
      'Inline candidates in messy.ts',
    ])
    expect(tasks[0]?.result).toContain('4 lines')
    expect(shown).toHaveLength(5)
    expect(heard.text).not.toContain('inner content')
    expect(heard.finish).toBe('end_turn')
    await nothingLeftIn(folder)
  })

  test('project skills, configured ones and CLAUDE.md become rules, with references between them', async () => {
    const folder = project(service, FANOUT)
    const text = unique('hold')
    const reply = ask(service, text, { folder, skills: ['fanout', 'ship', 'init'] })
    await prompted(service, text)
    const read = (name: string): string =>
      readFileSync(join(folder, `.cursor/rules/cursor-adapter-${name}.mdc`), 'utf8')
    expect(read('fanout')).toContain(
      'Start three sub-agents in one turn on (what the request says after /fanout).',
    )
    expect(read('fanout')).toContain('description: Apply only when the user asks for /fanout')
    expect(read('fanout')).toContain('Tools for this skill: Read.')
    expect(read('ship')).toContain('First @cursor-adapter-fanout, then ship.')
    expect(read('claude-md')).toMatch(/alwaysApply: true[\s\S]*Use tabs\./)
    expect(readdirSync(join(folder, '.cursor/rules'))).toHaveLength(4)
    writeFileSync(join(folder, 'go'), '')
    await reply
    await nothingLeftIn(folder)
  })

  test('a request that advertises nothing writes nothing, CLAUDE.md included', async () => {
    const folder = project(service, FANOUT)
    const text = unique('hold')
    const body = { messages: [{ role: 'user', content: text }] }
    const reply = send(service, STREAM, body, { headers: { 'x-cursor-workspace': folder } })
    await prompted(service, text)
    expect(existsSync(join(folder, '.cursor'))).toBe(false)
    writeFileSync(join(folder, 'go'), '')
    await reply
  })
})

test('a new CLI is not given twice what it finds by itself', async () => {
  const service = await start({})
  const folder = project(service, {
    '.agents/skills/fanout/SKILL.md': '---\nname: fanout\n---\nx\n',
    'CLAUDE.md': 'tabs',
  })
  const text = unique('hold')
  const reply = ask(service, text, { folder, skills: ['fanout', 'init'] })
  await prompted(service, text)
  expect(readdirSync(join(folder, '.cursor/rules'))).toEqual(['cursor-adapter-init.mdc'])
  writeFileSync(join(folder, 'go'), '')
  await reply
})

test.each(['prompt', 'off'] as const)('skills.via: %s writes no file', async (via) => {
  const service = await start({ settings: { 'skills.via': via } })
  const folder = project(service)
  const text = unique('hold, then /simplify')
  const reply = ask(service, text.replace('/simplify', '/init'), { folder })
  await until('the prompt', within(10_000), () => service.prompts().length > 0)
  expect(existsSync(join(folder, '.cursor'))).toBe(false)
  const sent = service.prompts().at(-1) ?? ''
  expect(sent.includes('Follow these instructions of the skill /init:')).toBe(via === 'prompt')
  expect(sent).not.toMatch(/@cursor-adapter|for use with the Skill tool/)
  writeFileSync(join(folder, 'go'), '')
  await reply
})

test('scratch runs with rules get warm agents whose folder has them; a project with rules gets no spare', async () => {
  const service = await start({ settings: { 'pool.warm': 1 } })
  const folder = project(service)
  await ask(service, unique('/simplify messy.ts'), { folder })
  await nothingLeftIn(folder)
  await until('a warm start with rules', within(15_000), async () => {
    const heard = await ask(service, unique('/simplify messy.ts'))
    expect(shownTools(heard)[0]?.result).not.toMatch(/not found|error_code/i)
    return heard.headers.get('x-cursor-adapter-start') === 'warm'
  })
  expect(agents(service).filter(({ cwd }) => cwd === folder)).toHaveLength(1)
  expect(existsSync(join(folder, '.cursor'))).toBe(false)
})
