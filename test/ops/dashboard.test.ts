import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { defaultConfig } from '../../src/config/load.ts'
import { arrayAt, isObject, parseJson, stringAt } from '../../src/lib/json.ts'
import { METRIC_PREFIX, METRICS } from '../../src/ops/metric-names.ts'
import { createMetrics } from '../../src/ops/metrics.ts'

const folder = join(import.meta.dirname, '../../grafana')
const dashboard = parseJson(readFileSync(join(folder, 'dashboard.json'), 'utf8'))

function panels(): readonly {
  title: string
  queries: readonly string[]
  sources: readonly unknown[]
}[] {
  const list = isObject(dashboard) ? (arrayAt(dashboard, 'panels') ?? []) : []
  return list.filter(isObject).flatMap((panel) => {
    const targets = (arrayAt(panel, 'targets') ?? []).filter(isObject)
    const queries = targets.map((target) => stringAt(target, 'expr') ?? '')
    const sources = [panel.datasource, ...targets.map(({ datasource }) => datasource)]
    return targets.length === 0 ? [] : [{ title: stringAt(panel, 'title') ?? '', queries, sources }]
  })
}

const baseName = (name: string): string => name.replace(/_(bucket|sum|count)$/, '')
const namesIn = (query: string): readonly string[] =>
  [...query.matchAll(/\b(?:cursor_adapter|process|nodejs)_\w+/g)].map(([name]) => name)

test('the dashboard has panels for everything it promises', () => {
  const text = panels()
    .map(({ title }) => title)
    .join('\n')
  for (const subject of [
    'First token',
    'Proxy overhead',
    'Queue',
    'Children',
    'Runs by outcome',
    'Warm',
    'kills',
    'Tokens',
    'Tool calls',
  ]) {
    expect(text).toContain(subject)
  }
})

test.each(panels())('every metric in "$title" exists, label by label', async ({ queries }) => {
  const snapshot = () => ({
    active: 0,
    waiting: 0,
    parked: 0,
    children: { starting: 0, warm: 0, busy: 0, parked: 0, idle: 0, closing: 0 },
    warmingOff: {},
    longestWaitMs: 0,
  })
  const build = { version: '1', cliVersion: '2', backend: 'print' }
  const text = await createMetrics({ snapshot, build }).render()
  for (const query of queries) {
    expect(namesIn(query).length).toBeGreaterThan(0)
    const names = namesIn(query).map(baseName)
    for (const name of names) expect(text).toMatch(new RegExp(`^# TYPE ${name} `, 'm'))
    for (const [, labels = ''] of query.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of labels.split(/,\s*/)) {
        expect(text, `${label} of ${names.join()}`).toMatch(
          new RegExp(`^${names[0]}.*[{,]${label}="`, 'm'),
        )
      }
    }
  }
})

test('every metric of ours is shown somewhere', () => {
  const shown = new Set(
    panels()
      .flatMap(({ queries }) => queries.flatMap(namesIn))
      .map(baseName),
  )
  const missing = Object.keys(METRICS).filter((name) => !shown.has(METRIC_PREFIX + name))
  expect(missing).toEqual([])
})

test('panels take their data source from the variable, so the dashboard can be imported anywhere', () => {
  for (const { sources } of panels()) {
    for (const source of sources)
      expect(source).toMatchObject({ uid: expect.stringMatching(/^\$\{datasource\}$/) })
  }
  expect(dashboard).toMatchObject({
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
  })
})

test('panels do not overlap and have ids of their own', () => {
  const list = isObject(dashboard) ? (arrayAt(dashboard, 'panels') ?? []).filter(isObject) : []
  expect(new Set(list.map(({ id }) => id)).size).toBe(list.length)
  const cells = list.flatMap(({ gridPos }) => {
    if (!isObject(gridPos)) return ['no place']
    const [x, y, w, h] = ['x', 'y', 'w', 'h'].map((key) => Number(gridPos[key]))
    return Array.from(
      { length: (w ?? 0) * (h ?? 0) },
      (_, i) => `${(x ?? 0) + (i % (w ?? 1))},${(y ?? 0) + Math.floor(i / (w ?? 1))}`,
    )
  })
  expect(new Set(cells).size).toBe(cells.length)
})

test('the Prometheus configuration scrapes the default address', () => {
  const { host, port } = defaultConfig()
  expect(parse(readFileSync(join(folder, 'prometheus.yml'), 'utf8'))).toMatchObject({
    scrape_configs: [
      {
        job_name: 'cursor-adapter',
        metrics_path: '/metrics',
        static_configs: [{ targets: [`${host}:${port}`] }],
      },
    ],
  })
})
