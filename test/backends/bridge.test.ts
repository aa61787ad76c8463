// Mode bridge on print and ACP: the scripted stand-in as an MCP client of our endpoint, in its sealed room.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../src/backends/backend.ts'
import { backendFor } from '../../src/backends/choose.ts'
import type { ClientToolCall } from '../../src/core/client-tools.ts'
import type { AgentEvent } from '../../src/core/events.ts'
import type { LaunchProfile } from '../../src/core/job.ts'
import { toolNames } from '../../src/core/tool-names.ts'
import type { ToolDefinition } from '../../src/core/turn.ts'
import { isObject, objectAt, parseJson, stringAt } from '../../src/lib/json.ts'
import { SEALED_PERMISSIONS } from '../../src/workspace/sealed-room.ts'
import { Lab, type LabOptions, type Ran } from '../contract/agent-lab.ts'
import { answered, openStation, type Station, tool } from '../mcp/station.ts'
import { within } from '../support/pace.ts'
import { until } from '../support/until.ts'

const TOOLS: readonly ToolDefinition[] = [tool('Read'), tool('Bash'), tool('Edit')]
const DONE = [{ delta: 'said: $RESULT' }, { result: true }]

describe.each(['print', 'acp'] as const)('%s', (backend) => {
  let lab: Lab
  let station: Station
  let tokens: string[]
  let calls: ClientToolCall[]

  beforeEach(async () => {
    lab = new Lab(backendFor({ backend }), backend)
    station = await openStation()
    tokens = []
    calls = []
  })
  afterEach(async () => {
    await lab.close()
    await station.close()
  })

  const profiled = (tools: readonly ToolDefinition[]): LaunchProfile => {
    const bridge = lab.profile({ mode: 'bridge', digest: JSON.stringify(tools) })
    return tools.length === 0 ? bridge : { ...bridge, offer: { endpoint: station.url, tools } }
  }

  const launch = (options: LabOptions, tools = TOOLS): Promise<Agent> =>
    lab.launch({
      ...options,
      profile: { ...profiled(tools), ...options.profile },
      tools: {
        opened: (token, offered) => {
          tokens.push(token)
          station.endpoint.open(token, offered)
          station.endpoint.listen(token, (call) => calls.push(call))
        },
        closed: (token) => station.endpoint.close(token),
      },
    })

  const run = (agent: Agent, tools = TOOLS): Promise<Ran> =>
    lab.run(agent, lab.job('hello', [], { profile: profiled(tools) }))

  const called = (count: number): Promise<void> =>
    until(`${count} calls`, within(10_000), () => calls.length >= count)

  const starts = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'tool-start' ? [event] : []))
  const ends = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'tool-end' ? [event] : []))

  test('a call goes out and its result is in the answer', async () => {
    const args = { text: 'a.txt' }
    const agent = await launch({ steps: [{ call: { name: 'Read', arguments: args } }, ...DONE] })
    const ran = run(agent)
    await called(1)
    expect(calls[0]).toMatchObject({ name: 'Read', arguments: args })
    answered(calls[0], 'hello from a')
    const { text, events, terminal } = await ran
    expect(text).toBe('said: hello from a')
    expect(terminal).toMatchObject({ type: 'finish' })
    expect(starts(events)).toMatchObject([
      { host: 'client', kind: 'mcp', name: 'Read', input: args },
    ])
    expect(ends(events)).toMatchObject([{ outcome: 'success', isError: false }])
    await agent.close('done')
    await until('the token to be closed', within(5_000), () => station.endpoint.size === 0)
  })

  test('several at once are answered in any order; errors and images arrive', async () => {
    const names = ['Read', 'Bash', 'Edit']
    const steps = [
      { calls: names.map((name) => ({ name, arguments: { text: name } })) },
      { delta: '$RESULT1|$RESULT2|$RESULT3' },
      { result: true },
    ]
    const agent = await launch({ steps })
    const ran = run(agent)
    await called(3)
    const by = (name: string): ClientToolCall | undefined =>
      calls.find((call) => call.name === name)
    answered(by('Edit'), 'no such file', true)
    by('Bash')?.answer({
      isError: false,
      content: [
        { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      ],
    })
    answered(by('Read'), 'text')
    const { text, events } = await ran
    expect(text).toBe('text|[image/png, 3 bytes]|no such file')
    expect(starts(events).map(({ name }) => name)).toEqual(names)
    expect(ends(events).filter(({ isError }) => isError)).toHaveLength(1)
  })

  test('a spare has listed the tools before it gets a prompt', async () => {
    const agent = await launch({ steps: DONE })
    await agent.ready
    const listed = (): boolean => station.endpoint.contact(tokens[0] ?? '') === 'listed'
    // A print agent is ready as soon as it waits; an ACP one when its session is open, which lists.
    if (backend === 'print') await until('the list', within(10_000), listed)
    expect(listed()).toBe(true)
    await until('its note', within(5_000), () => lab.journal('mcp-list').length > 0)
    expect(lab.journal('mcp-list')[0]?.tools).toEqual(['Read', 'Bash', 'Edit'])
    await run(agent)
    expect(tokens).toHaveLength(1)
    expect(lab.journal('mcp-list')).toHaveLength(1)
  })

  test('the prompt carries the token of its session', async () => {
    const agent = await launch({ steps: DONE })
    let told: string | undefined
    const job = lab.job('hello', [], { profile: profiled(TOOLS) })
    for await (const batch of agent.run(job, (token) => (told = token))) void batch
    expect(told).toBe(tokens[0])
    expect(told).toMatch(/^[0-9a-f]{32}$/)
  })

  test("Cursor's own tools are denied, and the model is told what to use instead", async () => {
    const agent = await launch({
      steps: [
        { attempt: { kind: 'readToolCall', args: { path: 'a.txt' } } },
        { attempt: { kind: 'shellToolCall', args: { command: 'ls' } } },
        { attempt: { kind: 'taskToolCall', args: {} } },
        { delta: '$RESULT1\n$RESULT2\n$RESULT3' },
        { result: true },
      ],
    })
    const { text, events } = await run(agent)
    const [read, shell, task] = text.split('\n')
    expect(read).toContain('Use the tool "Read" of the MCP server "client" instead')
    expect(shell).toContain('Use the tool "Bash"')
    expect(task).toContain('Read, Bash, Edit')
    expect(starts(events).map(({ host }) => host)).toEqual(['cursor', 'cursor', 'cursor'])
    expect(ends(events).map(({ isError }) => isError)).toEqual([true, true, true])
    expect(lab.journal('built-in').map(({ denied }) => denied)).not.toContain(null)
  })

  test('also where the client brings no tools: no server then, and no answer but words', async () => {
    const attempt = { kind: 'readToolCall', args: { path: 'a.txt' } }
    const agent = await launch({ steps: [{ attempt }, ...DONE] }, [])
    const { text } = await run(agent, [])
    expect(text).toContain('No tools are available here')
    expect(tokens).toEqual([])
    expect(lab.journal('mcp')).toEqual([])
  })

  test('an agent that never looks at the server is seen not to', async () => {
    const env = { CURSOR_ADAPTER_DEMO_QUIRKS: 'ignores-mcp' }
    const agent = await launch({ steps: DONE, env })
    expect((await run(agent)).terminal).toMatchObject({ type: 'finish' })
    expect(station.endpoint.contact(tokens[0] ?? '')).toBe('none')
  })

  test('a call the agent gives up is aborted, and its run goes on', async () => {
    const call = { name: 'Read', arguments: {}, giveUpMs: 80 }
    const agent = await launch({ steps: [{ call }, ...DONE] })
    const { text, terminal } = await run(agent)
    expect(text).toMatch(/timed out/i)
    expect(terminal).toMatchObject({ type: 'finish' })
    // The agent says that it gave up in a message of its own; the run may end before that is read.
    await until('the abort', within(5_000), () => calls[0]?.signal.aborted === true)
    expect(answered(calls[0], 'late')).toBe(false)
  })

  test('a cancelled run gives up its calls and its token', async () => {
    const agent = await launch({ steps: [{ call: { name: 'Read', arguments: {} } }, ...DONE] })
    const ran = run(agent)
    await called(1)
    if (agent.cancelRun === undefined) void agent.close('cancelled')
    else expect(await agent.cancelRun('cancelled')).toBe(true)
    expect((await ran).terminal).toMatchObject({ code: 'cancelled' })
    await until('the abort', within(5_000), () => calls[0]?.signal.aborted === true)
    await until('the token to be closed', within(5_000), () => station.endpoint.size === 0)
  })

  test('tools that come later are listed anew and can be called', async () => {
    const agent = await launch({
      steps: [
        { waitTool: 'Search' },
        { call: { name: 'Search', arguments: { text: 'x' } } },
        ...DONE,
      ],
    })
    const ran = run(agent)
    await until('the first list', within(10_000), () => lab.journal('mcp-list').length > 0)
    const offer = (): void => station.endpoint.offer(tokens[0] ?? '', [...TOOLS, tool('Search')])
    await until('the call', within(10_000), () => {
      // The stream for announcements is opened in the background.
      if (lab.journal('mcp-changed').length === 0) offer()
      return calls.length === 1
    })
    answered(calls[0], 'found')
    expect((await ran).text).toBe('said: found')
  })

  test('a name Cursor may not have is the client’s own again in the stream', async () => {
    const odd = [tool('mcp.server/größe')]
    const [name = ''] = toolNames(odd).offered.map(({ offered }) => offered)
    const agent = await launch({ steps: [{ call: { name, arguments: {} } }, ...DONE] }, odd)
    const ran = run(agent, odd)
    await called(1)
    answered(calls[0], 'ok')
    expect(starts((await ran).events)).toMatchObject([{ name: 'mcp.server/größe', host: 'client' }])
    expect(calls[0]?.name).toBe('mcp.server/größe')
  })

  test('the room holds what seals it, for its owner only, and goes with the agent', async () => {
    const agent = await launch({ steps: DONE })
    await agent.ready
    const [root = ''] = lab.leftovers()
    const base = join(lab.scratchRoot, root)
    const [session = ''] = backend === 'acp' ? readdirSync(join(base, 'work')) : ['']
    const folder = join(base, 'work', session, '.cursor')
    const read = (path: string): unknown => parseJson(readFileSync(path, 'utf8'))
    expect(read(join(folder, 'cli.json'))).toEqual({ permissions: SEALED_PERMISSIONS })
    expect(read(join(base, 'config', 'cli-config.json'))).toMatchObject({
      permissions: SEALED_PERMISSIONS,
    })
    const hooks = read(join(folder, 'hooks.json'))
    const list = Object.values(
      (isObject(hooks) ? objectAt(hooks, 'hooks') : undefined) ?? {},
    ).flat()
    expect(list.length).toBeGreaterThan(5)
    for (const hook of list) expect(hook).toMatchObject({ failClosed: true })
    const servers = join(folder, 'mcp.json')
    expect(existsSync(servers)).toBe(backend === 'print')
    if (backend === 'print') {
      expect(read(servers)).toEqual({
        mcpServers: { client: { url: `${station.url}${tokens[0]}` } },
      })
      expect(statSync(servers).mode & 0o077).toBe(0)
    }
    await until('its start', within(10_000), () => lab.journal('start').length > 0)
    const [start] = lab.journal('start')
    expect(JSON.stringify(start)).not.toContain(tokens[0])
    expect(start?.argv).toContain('--approve-mcps')
    expect(start?.argv).not.toContain('--force')
    await agent.close('done')
    expect(lab.leftovers()).toEqual([])
  })

  test('whatever is configured, it is not forced and not put into a read-only mode', async () => {
    for (const permissions of ['full', 'read-only'] as const) {
      const agent = await launch({ steps: DONE, profile: { permissions } })
      const profile = { ...profiled(TOOLS), permissions }
      await lab.run(agent, lab.job('hello', [], { profile }))
      const argv = lab.journal('start').at(-1)?.argv
      expect(argv).not.toContain('--force')
      expect(argv).not.toContain('--mode')
    }
    expect(lab.journal('set').some(({ value }) => value === 'ask')).toBe(false)
  })

  test('without a script the demo does what it is asked to with the client’s tools', async () => {
    const parameters = (...names: readonly string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: names,
    })
    const tools = [
      tool('read_file', { parameters: parameters('absolute_path') }),
      tool('run_shell_command', { parameters: parameters('command') }),
    ]
    const agent = await launch({ steps: [], env: { CURSOR_ADAPTER_DEMO_SCRIPT: '' } }, tools)
    const text = 'Working directory: /home/ada. Read notes.txt and run `ls`, then read b.txt'
    const ran = lab.run(agent, lab.job(text, [], { profile: profiled(tools) }))
    await called(2)
    // At the same time what can be, so either may come first; the third waits for their results.
    expect(calls).toHaveLength(2)
    const [note, list] = ['read_file', 'run_shell_command'].map((name) =>
      calls.find((call) => call.name === name),
    )
    expect(note?.arguments).toEqual({ absolute_path: '/home/ada/notes.txt' })
    expect(list?.arguments).toEqual({ command: 'ls' })
    answered(list, 'a list')
    answered(note, 'a note')
    await called(3)
    answered(calls[2], 'more')
    const { text: answer } = await ran
    expect(answer).toContain('demo agent')
    for (const said of ['a note', 'a list', 'more']) expect(answer).toContain(said)
  })

  test.runIf(backend === 'acp')(
    'questions: calls of ours are allowed once, all others not',
    async () => {
      const question = (title: string, kind: string, rawInput = {}) => ({
        permission: {
          title,
          kind,
          rawInput,
          allowed: [{ delta: 'yes ' }],
          rejected: [{ delta: 'no ' }],
        },
      })
      const agent = await launch({
        steps: [
          question('MCP: Read', 'other'),
          question('MCP: client-Read', 'other'),
          // Its own argument is called so, too.
          question('MCP: Read', 'other', { server: 'db' }),
          question('MCP: Later', 'other'),
          question('MCP: Read', 'other', { providerIdentifier: 'github', args: {} }),
          question('`ls`', 'execute'),
          question('Read a.txt', 'read'),
          { result: true },
        ],
        profile: { permissions: 'full' },
      })
      expect((await run(agent)).text).toBe('yes yes yes yes no no no ')
      const answers = lab.journal('answer').map(({ result }) => {
        const outcome = isObject(result) ? objectAt(result, 'outcome') : undefined
        return stringAt(outcome ?? {}, 'optionId')
      })
      expect(new Set(answers)).toEqual(new Set(['allow-once', 'reject-once']))
    },
  )
})
