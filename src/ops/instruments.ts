// Makers of counters, histograms and gauges on one registry, with their series started at 0 so that a dashboard has
// something to show before the first event.
import { Counter, Gauge, Histogram, type LabelValues, type Registry } from 'prom-client'
import { METRIC_PREFIX, METRICS, type MetricName } from './metric-names.ts'

/** Label name → the values whose series exist from the start (every combination). */
export type Labels = Readonly<Record<string, readonly string[]>>

export interface Instruments {
  counter(name: MetricName, labels?: Labels): Counter
  histogram(name: MetricName, buckets: readonly number[], labels?: Labels): Histogram
  /** `collect` is called at every scrape. */
  gauge(name: MetricName, labels: readonly string[], collect: (gauge: Gauge) => void): void
}

export function instruments(registry: Registry): Instruments {
  const about = (name: MetricName, labelNames: readonly string[]) => ({
    name: METRIC_PREFIX + name,
    help: METRICS[name],
    labelNames: [...labelNames],
    registers: [registry],
  })
  return {
    counter: (name, labels = {}) => {
      const counter = new Counter(about(name, Object.keys(labels)))
      for (const values of combinations(labels)) counter.inc(values, 0)
      return counter
    },
    histogram: (name, buckets, labels = {}) => {
      const names = Object.keys(labels)
      const histogram = new Histogram({ ...about(name, names), buckets: [...buckets] })
      for (const values of combinations(labels)) histogram.zero(values)
      return histogram
    },
    gauge: (name, labels, collect) => {
      const gauge: Gauge = new Gauge({
        ...about(name, labels),
        collect: (): void => collect(gauge),
      })
    },
  }
}

function combinations(labels: Labels): readonly LabelValues<string>[] {
  return Object.entries(labels).reduce<readonly LabelValues<string>[]>(
    (sets, [name, values]) =>
      sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  )
}
