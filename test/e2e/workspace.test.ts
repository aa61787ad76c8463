// Field cases F63 to F67: which folder an agent works in, what is refused before anything starts, what is left afterwards.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentOf, agents, flagOf, prompted } from '../support/agents.ts'
import { APIS, type Api, send, unique, WAYS, type Way } from '../support/ask.ts'
import {
  nothingLeft,
  OVER_ACP,
  type Service,
  scratchFolders,
  startService,
} from '../support/service.ts'
import { delta, OK } from '../support/steps.ts'
import { until } from '../support/until.ts'

const STREAM: Way = { api: 'messages', stream: true }
const SCRIPT = {
  runs: [
    {
      match: '^edit',
      steps: [{ init: true }, { writeFile: 'made.txt', text: 'x' }, delta('ok'), OK],
    },
    {
      match: '^slow',
      steps: [{ init: true }, delta('slow '), { waitFile: 'go' }, delta('ok'), OK],
    },
    { match: '^fail', steps: [{ stderr: 'Error: broken' }, { exit: 1 }] },
    { match: '^hang', steps: [{ init: true }, { hang: true }] },
    { steps: [{ init: true }, delta('ok'), OK] },
  ],
}

/** A folder that requests may work in. */
function folderIn(service: Service, name: string): string {
  const path = join(service.folder, 'home', name)
  mkdirSync(path, { recursive: true })
  return realpathSync(path)
}

const everythingIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
const question = (content: string) => ({ messages: [{ role: 'user', content }] })
const inFolder = (path: string) => ({ headers: { 'x-cursor-workspace': path } })
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })

describe('a service with the usual settings', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script: SCRIPT, settings: { concurrency: 3 } })
  })
  afterAll(() => service.stop())

  test('F63: two agents at once work each in the folder that its request names; one without a name works in a scratch folder', async () => {
    const [one, two] = [folderIn(service, 'one'), folderIn(service, 'two')]
    const asked = [unique('slow one'), unique('slow two'), unique('slow none')] as const
    const replies = [
      send(service, STREAM, question(asked[0]), inFolder(one)),
      send(service, { api: 'chat', stream: false }, question(asked[1]), inFolder(two)),
      send(service, STREAM, question(asked[2])),
    ]
    const [first, second, third] = await Promise.all(asked.map((text) => prompted(service, text)))
    expect([first?.cwd, second?.cwd]).toEqual([one, two])
    for (const agent of [first, second, third]) {
      if (!OVER_ACP) expect(agent && flagOf(agent, '--workspace')).toBe(agent?.cwd)
    }
    expect(third?.cwd.startsWith(`${realpathSync(service.scratchRoot)}/`)).toBe(true)
    expect(readdirSync(third?.cwd ?? '')).toEqual([])
    for (const agent of [first, second, third]) writeFileSync(join(agent?.cwd ?? '', 'go'), '')
    expect((await Promise.all(replies)).map(({ text }) => text)).toEqual(Array(3).fill('slow ok'))
    expect(readdirSync(one)).toEqual(['go'])
    expect(readdirSync(two)).toEqual(['go'])
  })

  // An ACP process opens sessions in any folder.
  test.skipIf(OVER_ACP)(
    'a warm agent is used only for the folder in which it was started',
    async () => {
      const [one, two] = [folderIn(service, 'warm-one'), folderIn(service, 'warm-two')]
      const started = async (folder: string): Promise<string> => {
        const text = unique('where')
        const { headers } = await send(service, STREAM, question(text), inFolder(folder))
        expect(agentOf(service, text).cwd).toBe(folder)
        return headers.get('x-cursor-adapter-start') ?? ''
      }
      expect(await started(one)).toBe('cold')
      await until('a spare in the first folder', 10_000, () => {
        return agents(service).filter(({ cwd }) => cwd === one).length > 1
      })
      expect(await started(two)).toBe('cold')
      await until('a warm start in the first folder', 10_000, async () => {
        return (await started(one)) === 'warm'
      })
    },
  )

  describe.each(WAYS)('$api, stream: $stream', (way) => {
    test.each<[string, (service: Service) => string, number, string]>([
      ['with ..', ({ folder }) => `${folder}/home/x/../..`, 400, 'must not contain'],
      ['that is relative', () => 'some/folder', 400, 'absolute'],
      ['with ~', () => '~/folder', 400, 'absolute'],
      ['with a control character', ({ folder }) => `${folder}/home\tx`, 400, 'control characters'],
      ['that is the root', () => '/', 403, 'root'],
      ['outside the roots', () => '/usr', 403, 'outside'],
      ['of our own scratch folders', ({ scratchRoot }) => scratchRoot, 403, 'never'],
    ])('F64: a folder %s is refused and no agent starts', async (_what, path, status, words) => {
      await refused(way, path(service), status, words)
    })

    test('F64: a link that leads outside is refused and no agent starts', async () => {
      const link = join(folderIn(service, 'links'), `out-${way.api}-${way.stream}`)
      symlinkSync('/usr', link)
      await refused(way, link, 403, 'outside')
    })

    test('F66: a folder that does not exist, or is a file, is a mistake that is named; nothing is made', async () => {
      const parent = folderIn(service, 'parent')
      const [missing, file] = [join(parent, 'missing'), join(parent, 'file')]
      writeFileSync(file, 'x')
      await refused(way, missing, 400, 'does not exist')
      await refused(way, file, 400, 'is not a folder')
      expect(readdirSync(parent)).toEqual(['file'])
    })
  })

  async function refused(way: Way, path: string, status: number, words: string): Promise<void> {
    const text = unique('refused')
    const heard = await send(service, way, question(text), inFolder(path))
    expect([heard.status, heard.headers.get('x-should-retry')]).toEqual([status, 'false'])
    expect(heard.raw).toContain(words)
    expect(service.prompts().filter((prompt) => prompt.includes(text))).toEqual([])
  }

  test.each<Api>(APIS)(
    'F65: an ordinary %s request changes nothing in a clean git folder',
    async (api) => {
      const folder = folderIn(service, `clean-${api}`)
      git(folder, 'init', '-q')
      const before = everythingIn(folder)
      const excluded = readFileSync(join(folder, '.git/info/exclude'))
      const tools = {
        chat: [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
        responses: [{ type: 'function', name: 'read', parameters: { type: 'object' } }],
        messages: [{ name: 'Read', input_schema: { type: 'object' } }],
      }[api]
      const body = { ...question(unique('ordinary')), tools }
      expect((await send(service, { api, stream: true }, body, inFolder(folder))).text).toBe('ok')
      expect(everythingIn(folder)).toEqual(before)
      expect(readFileSync(join(folder, '.git/info/exclude'))).toEqual(excluded)
      expect(git(folder, 'status', '--porcelain', '--ignored')).toBe('')
    },
  )

  test('a call that the client insists on is refused with the reason and the mode that would serve it', async () => {
    const tool = { name: 'Edit', input_schema: { type: 'object' } }
    const body = { ...question(unique('forced')), tools: [tool] }
    for (const toolChoice of [{ type: 'tool', name: 'Edit' }, { type: 'any' }]) {
      const heard = await send(
        service,
        STREAM,
        { ...body, tool_choice: toolChoice },
        inMode('agent'),
      )
      expect(heard.status).toBe(400)
      expect(heard.raw).toMatch(/tool_choice demands .*mode agent.*bridge/)
    }
    const calls = [{ type: 'function', function: { name: 'edit', parameters: { type: 'object' } } }]
    const chat = { ...question(unique('forced')), tools: calls, tool_choice: 'required' }
    const heard = await send(service, { api: 'chat', stream: false }, chat, inMode('agent'))
    expect(heard.status).toBe(400)
    expect(heard.raw).toMatch(/tool_choice demands .*mode agent.*bridge/)
  })
})

const inMode = (mode: string) => ({ headers: { 'x-cursor-mode': mode } })

describe('workspace.default: client', () => {
  let service: Service
  beforeAll(async () => {
    const settings = { 'workspace.default': 'client', 'pool.warm': 0 }
    service = await startService({ script: SCRIPT, settings })
  })
  afterAll(() => service.stop())

  const cwdOf = async (body: object, text: string, headers = {}): Promise<string> => {
    const heard = await send(service, STREAM, body, { headers })
    expect(heard.status).toBe(200)
    return agentOf(service, text).cwd
  }

  test('an agent works in the folder that the client says it is in', async () => {
    const folder = folderIn(service, 'client')
    const text = unique('client')
    const system = `# Environment\n - Primary working directory: ${folder}\n - Platform: linux`
    expect(await cwdOf({ system, ...question(text) }, text)).toBe(folder)
  })

  test('the header of a request comes first', async () => {
    const [folder, other] = [folderIn(service, 'client'), folderIn(service, 'other')]
    const text = unique('header')
    const system = ` - Primary working directory: ${folder}`
    const headers = { 'x-cursor-workspace': other }
    expect(await cwdOf({ system, ...question(text) }, text, headers)).toBe(other)
  })

  test.each(['/usr', '/does/not/exist', 'relative'])(
    'a client that says it is in %s gets a scratch folder: it did not ask to work there',
    async (folder) => {
      const text = unique('elsewhere')
      const cwd = await cwdOf(
        { system: ` - Primary working directory: ${folder}`, ...question(text) },
        text,
      )
      expect(cwd.startsWith(realpathSync(service.scratchRoot))).toBe(true)
    },
  )

  test('a client that names no folder gets a scratch folder', async () => {
    const text = unique('nowhere')
    expect((await cwdOf(question(text), text)).startsWith(realpathSync(service.scratchRoot))).toBe(
      true,
    )
  })
})

test('workspace.default can be a folder, workspace.roots say which others a request may name', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'adapter-test-')))
  const [own, open, closed] = ['own', 'open', 'closed'].map((name) => join(folder, 'home', name))
  for (const path of [own, open, closed]) mkdirSync(path ?? '', { recursive: true })
  const service = await startService({
    script: SCRIPT,
    folder,
    settings: {
      'workspace.default': own ?? '',
      'workspace.roots': `${own},${open}`,
      'pool.warm': 0,
    },
  })
  const cases = [
    [{}, 200, own],
    [inFolder(open ?? ''), 200, open],
    [inFolder(closed ?? ''), 403, undefined],
  ] as const
  for (const [init, status, cwd] of cases) {
    const text = unique('roots')
    const heard = await send(service, STREAM, question(text), init)
    expect(heard.status).toBe(status)
    if (cwd !== undefined) expect(agentOf(service, text).cwd).toBe(cwd)
  }
  await service.stop()
})

test('F67: of twenty runs with every kind of end, then a SIGKILL and a restart, only live scratch folders remain', async () => {
  const settings = { concurrency: 4, 'sessions.max': 1, 'pool.warm': 0, 'pool.kill_grace': 0.1 }
  const first = await startService({ script: SCRIPT, settings })
  const foreign = join(first.scratchRoot, 'mine')
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'notes.txt'), 'keep')
  const runs = Array.from({ length: 20 }, async (_, at) => {
    const kind = ['plain', 'fail', 'hang', 'edit'][at % 4] ?? ''
    const text = unique(kind)
    if (kind !== 'hang') {
      await send(first, STREAM, question(text))
      return
    }
    const left = new AbortController()
    const reply = send(first, STREAM, question(text), { signal: left.signal })
    await prompted(first, text)
    left.abort()
    await expect(reply).rejects.toThrow(/abort/i)
  })
  await Promise.all(runs)
  // The foreign one, that of the conversation that is remembered, and of spares after a burst.
  await until('only live folders to be left', 10_000, () => {
    return scratchFolders(first.scratchRoot).length <= 2 + settings.concurrency
  })
  const last = unique('hang')
  send(first, STREAM, question(last)).catch(() => undefined)
  const hanging = await prompted(first, last)
  first.process.kill('SIGKILL')
  await first.exited
  expect(existsSync(hanging.cwd)).toBe(true)
  const second = await startService({ script: SCRIPT, settings, folder: first.folder })
  await until('folders of the dead service to be gone', 10_000, () => !existsSync(hanging.cwd))
  expect((await send(second, STREAM, question(unique('plain')))).text).toBe('ok')
  expect(readFileSync(join(foreign, 'notes.txt'), 'utf8')).toBe('keep')
  second.process.kill('SIGTERM')
  await second.exited
  await until(
    'our folders to be gone',
    5000,
    () => scratchFolders(first.scratchRoot).join() === 'mine',
  )
  execFileSync('rm', ['-r', foreign])
  await nothingLeft(second.journal(), second.scratchRoot)
  second.discard()
}, 60_000)
