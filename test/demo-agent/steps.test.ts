// What each step of a script prints or does.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../src/lib/json.ts'
import { isAlive, until } from '../support/until.ts'
import { linesOf, runAgent, STREAM, startAgent, temporaryFolder, textOf } from './run-agent.ts'

async function linesFor(
  steps: readonly unknown[],
  stdin = 'hello',
): Promise<readonly JsonObject[]> {
  const { stdout, stderr, code } = await runAgent({ script: { runs: [{ steps }] }, stdin })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return linesOf(stdout)
}

test('a run with text, thinking and a tool prints exactly the documented shapes', async () => {
  const id = 'call-1\nfc_1'
  const tool = { kind: 'readToolCall', id, args: { path: 'a' } }
  const lines = await linesFor([
    { init: { model: 'Mine' } },
    { echo: true },
    { thinking: 'hm' },
    { thinkingEnd: true },
    { delta: 'Let ' },
    { delta: 'me.' },
    { recap: 'm1' },
    { toolStart: tool },
    { toolEnd: { ...tool, result: { success: { content: 'x' } } } },
    { delta: 'Done' },
    { recap: true },
    { full: '!', id: 'm2' },
    { result: { request_id: 'r' } },
  ])
  const session_id = lines[0]?.session_id
  const at = expect.any(Number)
  const said = (text: string): unknown => ({ role: 'assistant', content: [{ type: 'text', text }] })
  const user = { role: 'user', content: [{ type: 'text', text: 'hello' }] }
  const envelope = { hookAdditionalContexts: [], toolCallId: id, startedAtMs: expect.any(String) }
  expect(lines).toEqual([
    {
      type: 'system',
      subtype: 'init',
      apiKeySource: 'login',
      cwd: expect.any(String),
      session_id: expect.stringMatching(/^[0-9a-f]{8}-/u),
      model: 'Mine',
      permissionMode: 'default',
    },
    { type: 'user', message: user, session_id },
    { type: 'thinking', subtype: 'delta', text: 'hm', session_id, timestamp_ms: at },
    { type: 'thinking', subtype: 'completed', session_id, timestamp_ms: at },
    { type: 'assistant', message: said('Let '), session_id, timestamp_ms: at },
    { type: 'assistant', message: said('me.'), session_id, timestamp_ms: at },
    {
      type: 'assistant',
      message: said('Let me.'),
      session_id,
      model_call_id: 'm1',
      timestamp_ms: at,
    },
    {
      type: 'tool_call',
      subtype: 'started',
      call_id: id,
      tool_call: { readToolCall: { args: { path: 'a' } }, ...envelope },
      model_call_id: 'm1',
      session_id,
      timestamp_ms: at,
    },
    {
      type: 'tool_call',
      subtype: 'completed',
      call_id: id,
      tool_call: {
        readToolCall: { args: { path: 'a' }, result: { success: { content: 'x' } } },
        ...envelope,
        completedAtMs: expect.any(String),
      },
      model_call_id: 'm1',
      session_id,
      timestamp_ms: at,
    },
    { type: 'assistant', message: said('Done'), session_id, timestamp_ms: at },
    { type: 'assistant', message: said('Done'), session_id },
    { type: 'assistant', message: said('!'), session_id, model_call_id: 'm2', timestamp_ms: at },
    {
      type: 'result',
      subtype: 'success',
      duration_ms: at,
      duration_api_ms: at,
      is_error: false,
      result: 'Let me.Done!',
      session_id,
      request_id: 'r',
      usage: {
        inputTokens: at,
        outputTokens: at,
        cacheReadTokens: at,
        cacheWriteTokens: at,
      },
    },
  ])
})

test('grow takes so much memory more, keeps it, and says how large it has become', async () => {
  const steps = [{ grow: 100 }, { sleep: 1 }, { grow: 0.5 }, { result: true }]
  const { journal, code } = await runAgent({ script: { runs: [{ steps }] } })
  const [first = 0, second = 0, ...more] = journal.flatMap((fact) => {
    return fact.event === 'grown' ? [Number(fact.residentBytes)] : []
  })
  expect({ code, more }).toEqual({ code: 0, more: [] })
  for (const bytes of [first, second]) expect(bytes).toBeGreaterThan(100 * 1024 ** 2)
})

test('the result can have another text and no usage', async () => {
  const [line] = await linesFor([{ result: { result: 'x', usage: null } }])
  expect(line).toMatchObject({ result: 'x' })
  expect(line).not.toHaveProperty('usage')
})

test('prompt and folder are filled in once, in text, raw bytes and any line', async () => {
  const folder = temporaryFolder()
  const steps = [
    { delta: '<$PROMPT>' },
    { raw: '{"raw":"$CWD"}\n' },
    { line: { deep: [{ text: '$PROMPT' }], n: 1 } },
  ]
  const { stdout } = await runAgent({
    script: { runs: [{ steps }] },
    stdin: 'say $CWD and $& twice',
    args: [...STREAM, '--workspace', folder],
  })
  const [delta, raw, line] = linesOf(stdout)
  expect(textOf(delta ?? {})).toBe('<say $CWD and $& twice>')
  expect(raw).toEqual({ raw: folder })
  expect(line).toEqual({ deep: [{ text: 'say $CWD and $& twice' }], n: 1 })
})

test('raw bytes arrive whole, also when they are written one by one', async () => {
  const text = '{"type":"x","text":"é😀"}\r\n'
  const { stdout } = await runAgent({ script: { runs: [{ steps: [{ raw: text, chunk: 1 }] }] } })
  expect(stdout.toString()).toBe(text)
})

test('the first run whose expression fits is played, a run with `once` only the first time', async () => {
  const claim = join(temporaryFolder(), 'claimed')
  const script = {
    runs: [
      { match: 'b+', steps: [{ raw: 'matched' }] },
      { once: claim, steps: [{ stderr: 'first' }, { exit: 3 }] },
      { steps: [{ once: `${claim}2`, steps: [{ raw: 'second' }] }, { raw: '.' }] },
    ],
  }
  expect((await runAgent({ script, stdin: 'abba' })).stdout.toString()).toBe('matched')
  expect(await runAgent({ script, stdin: 'x' })).toMatchObject({ code: 3, stderr: 'first' })
  expect((await runAgent({ script, stdin: 'x' })).stdout.toString()).toBe('second.')
  expect((await runAgent({ script, stdin: 'x' })).stdout.toString()).toBe('.')
})

test('files are written, appended to and waited for, relative to the working folder', async () => {
  const folder = temporaryFolder()
  const steps = [
    { writeFile: 'out.txt', text: 'a' },
    { repeat: 2, steps: [{ appendFile: 'out.txt', text: 'b' }] },
    { waitFile: 'go' },
    { raw: 'gone on' },
  ]
  const agent = startAgent({ script: { runs: [{ steps }] }, cwd: folder, stdin: 'x' })
  const out = join(folder, 'out.txt')
  await until('the file', 10_000, () => existsSync(out) && readFileSync(out, 'utf8') === 'abb')
  expect(agent.stdout()).toBe('')
  writeFileSync(join(folder, 'go'), '')
  expect((await agent.ended).stdout.toString()).toBe('gone on')
})

test('a burst has as many numbered deltas as asked for, and the result has them all', async () => {
  const lines = await linesFor([
    { burst: { events: 5000, size: 20 } },
    { burst: { events: 3, size: 8, perSecond: 1000 } },
    { recap: true },
    { result: true },
  ])
  const deltas = lines.slice(0, 5003).map(textOf)
  expect(deltas[4999]).toBe('4999 xxxxxxxxxxxxxxx')
  expect(deltas[5002]).toBe('2 xxxxxx')
  expect(lines[0]).toHaveProperty('timestamp_ms')
  expect(textOf(lines[5003] ?? {})).toBe(deltas.join(''))
  expect(lines[5004]).toMatchObject({ result: deltas.join('') })
})

test('stamps tell the monotonic time of writing and keep their pace', async () => {
  const before = process.hrtime.bigint()
  const lines = await linesFor([{ stamps: { events: 30, perSecond: 100 } }])
  const stamps = lines.map((line) => BigInt(textOf(line).trim()))
  expect(stamps).toHaveLength(30)
  expect(stamps.every((stamp, at) => stamp > (stamps[at - 1] ?? before))).toBe(true)
  const lastMs = Number((stamps[29] ?? 0n) - (stamps[0] ?? 0n)) / 1e6
  expect(lastMs).toBeGreaterThan(280)
  expect(lastMs).toBeLessThan(3_000)
})

test.each([
  { ownGroup: false, ignoreTerm: true, holdStdout: true },
  { ownGroup: true, ignoreTerm: false, holdStdout: false },
])('a grandchild lives on: %o', async (grandchild) => {
  const agent = startAgent({ script: { runs: [{ steps: [{ grandchild }] }] }, stdin: 'x' })
  let closed = false
  const ended = agent.ended.then(() => {
    closed = true
  })
  expect(await new Promise((resolve) => agent.child.once('exit', resolve))).toBe(0)
  const fact = agent.journal().find((line) => line.event === 'grandchild')
  const pid = Number(fact?.pid)
  try {
    expect(fact).toMatchObject({ of: agent.child.pid })
    expect(isAlive(pid)).toBe(true)
    if (grandchild.holdStdout) expect(closed).toBe(false)
    else await ended
    process.kill(pid, 'SIGTERM')
    // A negative needs a moment: a signal is delivered long before 100 ms are over.
    if (grandchild.ignoreTerm) await delay(100)
    else await until('the grandchild to go', 5_000, () => !isRunning(pid))
    expect(isRunning(pid)).toBe(grandchild.ignoreTerm)
  } finally {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  }
  await ended
})

/** A zombie whose parent (init of a container, say) never reaps counts as gone. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || !/\) Z /u.test(readFileSync(stat, 'utf8'))
}

test('startup steps come before the prompt, and closeStdin makes the writer fail', async () => {
  const script = {
    startup: [{ closeStdin: true }, { raw: 'early\n' }],
    runs: [{ steps: [{ hang: true }] }],
  }
  const agent = startAgent({ script })
  await until('the early line', 10_000, () => agent.stdout() === 'early\n')
  const failed = new Promise((resolve) => agent.child.stdin.once('error', resolve))
  agent.child.stdin.write('x'.repeat(1 << 20))
  expect(await failed).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET/u) })
})

test('json prints one object at the end, text only the last message, both nothing without a result', async () => {
  const steps = [
    { init: true },
    { thinking: 'hm' },
    { full: 'first', id: 'm1' },
    { delta: 'la' },
    { delta: 'st' },
    { recap: true },
    { result: true },
  ]
  const script = { runs: [{ match: 'all', steps }, { steps: steps.slice(0, -1) }] }
  const run = async (format: string, stdin: string): Promise<string> => {
    const args = ['-p', '--trust', '--show-thinking', '--output-format', format]
    return (await runAgent({ script, stdin, args })).stdout.toString()
  }
  const [json] = linesOf(await run('json', 'all'))
  expect(json).toMatchObject({
    type: 'result',
    result: 'firstlast',
    thinking_blocks: [{ text: 'hm' }],
  })
  expect(await run('text', 'all')).toBe('last\n')
  expect(await run('json', 'cut')).toBe('')
})

test('every line names the session asked for', async () => {
  const id = '0b8f7a52-7d5b-4a53-8a4e-0b1d8e1f9a11'
  const { stdout } = await runAgent({ args: [...STREAM, '--new-session-id', id] })
  const lines = linesOf(stdout)
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.filter((line) => !isObject(line) || line.session_id !== id)).toEqual([])
})
