// A running demo service, a real Prometheus that scrapes it, and every query of every panel: each must return data.
// Needs a build and the program `prometheus` (Debian package of that name). Run: node test/slow/grafana.mjs
// Loopback only, in a temporary folder; ends what it started.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const ROOT = resolve(import.meta.dirname, '../..')
const WINDOW = '30s'
const LOAD_MS = 12_000

if (spawnSync('prometheus', ['--version']).error !== undefined) {
  console.log('skipped: prometheus is not installed (apt-get install prometheus)')
  process.exit(0)
}
const folder = mkdtempSync(join(tmpdir(), 'grafana-test-'))
const children = []
try {
  process.exitCode = await main()
} finally {
  for (const child of children) await end(child)
  rmSync(folder, { recursive: true, force: true })
}

async function main() {
  const url = await startDemo()
  const prometheus = await startPrometheus(new URL(url).host)
  await load(url, Date.now() + LOAD_MS)
  // Two more scrapes after the last request.
  await delay(2500)
  const failures = []
  for (const { title, expr } of queries()) {
    const samples = await query(prometheus, expr.replaceAll('$__rate_interval', WINDOW))
    const data = samples.filter((value) => Number.isFinite(Number(value)))
    console.log(`${data.length === 0 ? 'NO DATA' : 'ok     '}  ${String(data.length).padStart(3)}  ${title}: ${expr}`)
    if (data.length === 0) failures.push(title)
  }
  if (failures.length === 0) return 0
  console.error(`no data in: ${failures.join(', ')}`)
  return 1
}

function queries() {
  const { panels } = JSON.parse(readFileSync(join(ROOT, 'grafana/dashboard.json'), 'utf8'))
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
}

async function query(base, expr) {
  const response = await fetch(`${base}/api/v1/query?${new URLSearchParams({ query: expr })}`)
  // Prometheus is still starting.
  if (response.status === 503) return []
  const body = await response.json()
  if (body.status !== 'success') throw new Error(`${expr}: ${body.error}`)
  return body.data.result.map(({ value }) => value[1])
}

async function startDemo() {
  const home = join(folder, 'home')
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: folder,
    CURSOR_ADAPTER_HOME: join(home, 'adapter'),
    CURSOR_ADAPTER_DEMO_PACE_MS: '2',
  }
  const child = start(process.execPath, ['dist/src/cli.js', 'demo', '--port', '0'], env)
  return until('the demo to listen', () => /listening on (http:\S+)/.exec(child.output)?.[1], child)
}

async function startPrometheus(target) {
  const port = await freePort()
  const config = readFileSync(join(ROOT, 'grafana/prometheus.yml'), 'utf8')
    .replace('127.0.0.1:8976', target)
    .replace('scrape_interval: 5s', 'scrape_interval: 1s')
  if (!config.includes(target) || !config.includes('1s')) throw new Error('prometheus.yml has changed its form')
  const file = join(folder, 'prometheus.yml')
  writeFileSync(file, config)
  mkdirSync(join(folder, 'data'))
  const base = `http://127.0.0.1:${port}`
  const child = start('prometheus', [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ], { PATH: process.env.PATH, HOME: folder })
  await until('Prometheus to scrape', async () => (await query(base, 'up{job="cursor-adapter"} == 1')).length > 0, child)
  return base
}

/** A mix that moves most series: both APIs, streamed and not, a cancel, a refusal, counts, lists. */
async function load(url, untilMs) {
  const post = async (path, body, { status = 200, signal } = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    const text = await response.text()
    if (response.status !== status) throw new Error(`${path} gave ${response.status}: ${text}`)
    return text
  }
  const messages = [{ role: 'user', content: 'Say something short.' }]
  for (let turn = 0; Date.now() < untilMs; turn += 1) {
    await post('/v1/chat/completions', { model: 'auto', stream: turn % 2 === 0, messages })
    await post('/v1/messages', { model: 'auto', max_tokens: 100, stream: turn % 2 === 1, messages })
    await post('/v1/messages/count_tokens', { model: 'auto', messages })
    await post('/v1/chat/completions', { messages: [] }, { status: 400 })
    await post('/v1/chat/completions', { model: 'auto', stream: true, messages }, { signal: AbortSignal.timeout(60) }).catch((error) => {
      if (error.name !== 'TimeoutError') throw error
    })
    await (await fetch(`${url}/v1/models`)).text()
    await delay(300)
  }
}

function start(command, args, env) {
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      child.output += text
    })
  }
  children.push(child)
  return child
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await exited
}

async function until(label, probe, child) {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; await delay(100)) {
    if (child.exitCode !== null) throw new Error(`${label}: it ended: ${child.output}`)
    const found = await Promise.resolve(probe()).catch((error) => {
      // Nobody listens yet.
      if (error instanceof TypeError) return undefined
      throw error
    })
    if (found) return found
  }
  throw new Error(`waited 30 s for ${label}: ${child.output}`)
}

function freePort() {
  return new Promise((done) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
