/*
 * A registry of our own: an observation is one look-up and one addition, about 0.1 µs.
 * Effect's Metric takes 0.9 µs with labels (measured with 4.1.0), and keeps one registry for the whole process.
 */

/** What one combination of label values counts. */
export interface Cell {
  /** Adds to it; 1 by default. */
  readonly add: (amount?: number) => void
  readonly set: (value: number) => void
}

/** Observations of one combination of label values. */
export interface HistogramCell {
  readonly observe: (value: number) => void
}

/** A metric: one cell for each combination of label values, made when first used. Labels must have few values. */
export interface Metric<A> {
  readonly cell: (...labelValues: ReadonlyArray<string>) => A
}

/** The metrics of one ingest. */
export interface MetricRegistry {
  readonly counter: (name: string, help: string, labels?: ReadonlyArray<string>) => Metric<Cell>
  readonly gauge: (name: string, help: string, labels?: ReadonlyArray<string>) => Metric<Cell>
  /** `buckets`: upper bounds, ascending, without infinity. */
  readonly histogram: (
    name: string,
    help: string,
    buckets: ReadonlyArray<number>,
    labels?: ReadonlyArray<string>,
  ) => Metric<HistogramCell>
  /**
   * Everything in Prometheus' text format 0.0.4.
   *
   * Source: https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  readonly render: () => string
}

/** Media type of {@link MetricRegistry.render}. */
export const metricsMediaType = "text/plain; version=0.0.4; charset=utf-8"

const escapeLabel = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')

const renderLabels = (labels: ReadonlyArray<string>, values: ReadonlyArray<string>): string =>
  labels.length === 0 ? "" : `{${labels.map((label, i) => `${label}="${escapeLabel(values[i] ?? "")}"`).join(",")}}`

/** A cell that writes its own lines. */
interface Rendered {
  readonly render: (name: string, labels: ReadonlyArray<string>, values: ReadonlyArray<string>) => string
}

const createCell = (): Cell & Rendered => {
  let value = 0
  return {
    add: (amount = 1) => void (value += amount),
    set: (next) => void (value = next),
    render: (name, labels, values) => `${name}${renderLabels(labels, values)} ${value}\n`,
  }
}

const createHistogramCell = (buckets: ReadonlyArray<number>): HistogramCell & Rendered => {
  const counts = Array.from(buckets, () => 0)
  let [sum, count] = [0, 0]
  return {
    observe: (value) => {
      sum += value
      count++
      const bucket = buckets.findIndex((bound) => value <= bound)
      if (bucket >= 0) counts[bucket]!++
    },
    render: (name, labels, values) => {
      let below = 0
      const line = (bound: string, number: number) =>
        `${name}_bucket${renderLabels([...labels, "le"], [...values, bound])} ${number}\n`
      const lines = buckets.map((bound, i) => line(String(bound), (below += counts[i]!)))
      const own = renderLabels(labels, values)
      return `${lines.join("")}${line("+Inf", count)}${name}_sum${own} ${sum}\n${name}_count${own} ${count}\n`
    },
  }
}

/** Makes a registry. A metric without labels exists from the start, with the value 0. */
export const createMetricRegistry = (): MetricRegistry => {
  const metrics: Array<() => string> = []

  const define = <A extends Rendered>(
    type: string,
    name: string,
    help: string,
    labels: ReadonlyArray<string>,
    create: () => A,
  ): Metric<A> => {
    const cells = new Map<string, { readonly values: ReadonlyArray<string>; readonly cell: A }>()
    const cellOf = (...values: ReadonlyArray<string>): A => {
      const id = values.length === 1 ? values[0]! : values.join("\n")
      let found = cells.get(id)
      if (found === undefined) cells.set(id, (found = { values, cell: create() }))
      return found.cell
    }
    if (labels.length === 0) cellOf()
    metrics.push(() => {
      const lines = [...cells.values()].map(({ values, cell }) => cell.render(name, labels, values))
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`
    })
    return { cell: cellOf }
  }

  return {
    counter: (name, help, labels = []) => define("counter", name, help, labels, createCell),
    gauge: (name, help, labels = []) => define("gauge", name, help, labels, createCell),
    histogram: (name, help, buckets, labels = []) =>
      define("histogram", name, help, labels, () => createHistogramCell(buckets)),
    render: () => metrics.map((metric) => metric()).join(""),
  }
}
