/*
 * How several ingests behave at rates that no machine of ours can make: a model, whose parameters were measured by
 * `npm run bench -- processes`. `docs/scale.md` is written from it by `npm run bench -- --write processes`.
 */
import { ingestDefaults } from "../src/schema/ingest-defaults.ts"
import { formatNumber, toRows } from "./format.ts"
import type { Results } from "./results.ts"
import { nameCase, processTitles } from "./scale/processes.ts"
import { median } from "./statistics.ts"

/** What one file costs, as it was measured. */
export interface Costs {
  /** CPU s of the ingest for a file that the catalog keeps, with its callback. */
  readonly smallCpu: number
  /** CPU s of the ingest for a file that it hashes and puts into the bucket, one object of 2 MiB. */
  readonly objectCpu: number
  /** CPU s of PostgreSQL for a file that the catalog keeps, and for one in the bucket. */
  readonly smallDatabase: number
  readonly objectDatabase: number
  /** KiB of its log for a file of 1 KiB that the catalog keeps, and for one in the bucket. */
  readonly smallLog: number
  readonly objectLog: number
  /** Bytes that a file leaves in the database, indexes included. */
  readonly rows: number
}

/** What nobody can measure for somebody else: change it, and run the model again. */
export const assumptions = {
  /** Of the files, those that the catalog keeps. */
  smallShare: 0.5,
  /** Bytes of each other one: one object, one `PutObject`, as it was measured. */
  objectSize: 2 * 1024 ** 2,
  /** How long an app takes to answer a callback, s. */
  appLatency: 0.2,
  /** How much of its core a process may use, and of its cores a database. */
  ingestLoad: 0.7,
  databaseLoad: 0.5,
  /** Of one primary. */
  databaseCores: 16,
  /** Of one process, at most. */
  connections: 16,
  /** PUT requests a second that AWS promises for one prefix. */
  prefixRate: 3500,
} as const

/** The most callbacks a second that one process sends, to all apps and to one of them, by how long they take to answer, s. */
export const deliveries = (latency: number, slots: number = ingestDefaults.maxConcurrentCallbacks) => ({
  all: slots / latency,
  one: Math.floor(slots / 4) / latency,
})

/** What there is to run for so many files a second. */
export const model = (costs: Costs, rate: number, given: typeof assumptions = assumptions) => {
  const small = rate * given.smallShare
  const objects = rate - small
  const bytes = objects * given.objectSize
  const cores = small * costs.smallCpu + objects * costs.objectCpu
  const databaseCores = small * costs.smallDatabase + objects * costs.objectDatabase
  const forCallbacks = Math.ceil(rate / deliveries(given.appLatency).all)
  const processesFor = (busy: number): number => Math.max(2, Math.ceil(busy / given.ingestLoad), forCallbacks)
  const processes = processesFor(cores)
  return {
    /** Cores that are busy. */
    cores,
    processes,
    /** Where pages send the others straight to the bucket: each is two requests more, and no bytes. */
    processesDirect: processesFor(small * costs.smallCpu + 3 * objects * costs.smallCpu),
    throughput: bytes / 1024 ** 2,
    underWay: rate * given.appLatency,
    databaseCores,
    primaries: Math.max(1, Math.ceil(databaseCores / (given.databaseCores * given.databaseLoad))),
    log: (small * costs.smallLog + objects * costs.objectLog) / 1024,
    rowsPerDay: (rate * costs.rows * 86_400) / 1024 ** 3,
    connections: processes * given.connections,
    bucketRequests: objects,
    prefixes: Math.max(1, Math.ceil(objects / given.prefixRate)),
  }
}

const findReport = (results: Results, title: string) =>
  results.get("processes")?.reports.find((report) => report.title === title)

/** The costs of a file with one process, which is busy, as each one of many would be: the medians of the rounds. Fails: throws where they were not measured. */
export const readCosts = (results: Results): Costs => {
  const read = (kind: keyof typeof processTitles, figure: string): number => {
    const values = findReport(results, processTitles[kind])?.rounds.get(nameCase(1))?.[figure]
    if (values === undefined) throw new Error(`bench/results/processes.json has no ${figure} of ${kind} files.`)
    return median(values)
  }
  return {
    smallCpu: read("small", "cpuPerRequest") / 1e6,
    objectCpu: read("object", "cpuPerRequest") / 1e6,
    smallDatabase: read("small", "databaseCpu") / 1e6,
    objectDatabase: read("object", "databaseCpu") / 1e6,
    smallLog: read("small", "wal"),
    objectLog: read("object", "wal"),
    rows: read("small", "rows"),
  }
}

const writeTable = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = [], ...body] = rows.map((cells) => `| ${cells.join(" | ")} |`)
  return [head, `|${rows[0]!.map((_, column) => (column === 0 ? "---" : "---:")).join("|")}|`, ...body].join("\n")
}

const writeMeasured = (results: Results): string => {
  const { machine } = results.get("processes")!
  const others = `${Math.round((machine.others ?? 0) * 100)} %`
  return [
    `${machine.date.slice(0, 10)}, Node ${machine.node.slice(1)}, ${machine.cpu}, ${machine.memory}; other programs used ${others} of the processors meanwhile. Medians (lowest..highest).`,
    ...(["small", "object", "large"] as const).flatMap((kind) => {
      const report = findReport(results, processTitles[kind])!
      return [`**${report.title}**`, writeTable(toRows(report))]
    }),
  ].join("\n\n")
}

const rates = [10, 1000, 100_000] as const

const writeModelled = (results: Results): string => {
  const costs = readCosts(results)
  const modelled = rates.map((rate) => model(costs, rate))
  const row = (label: string, read: (of: ReturnType<typeof model>) => number): ReadonlyArray<string> => [
    label,
    ...modelled.map((of) => formatNumber(read(of))),
  ]
  return writeTable([
    ["files a second", ...rates.map((rate) => rate.toLocaleString("en"))],
    row("ingest cores that are busy", ({ cores }) => cores),
    row("ingest processes (two at least, so that one may fail)", ({ processes }) => processes),
    row("the same, where the larger files go straight to the bucket", ({ processesDirect }) => processesDirect),
    row("MiB/s through the ingests, and out again", ({ throughput }) => throughput),
    row("PUTs that wait for their app, callbacks under way", ({ underWay }) => underWay),
    row("database cores that are busy", ({ databaseCores }) => databaseCores),
    row(`primaries of ${assumptions.databaseCores} cores`, ({ primaries }) => primaries),
    row("MiB/s of WAL", ({ log }) => log),
    row("GiB of rows a day, before anything is pruned", ({ rowsPerDay }) => rowsPerDay),
    row("connections without a pooler, at most", ({ connections }) => connections),
    row("objects a second into the bucket", ({ bucketRequests }) => bucketRequests),
    row("prefixes, where one takes 3,500 a second", ({ prefixes }) => prefixes),
  ])
}

const writeDeliveries = (): string => {
  const slots = ingestDefaults.maxConcurrentCallbacks
  return writeTable([
    ["an app answers within", "one app, callbacks/s", "four apps or more, callbacks/s"],
    ...[0.05, 0.2, 1, 5].map((latency) => {
      const { one, all } = deliveries(latency, slots)
      return [`${latency} s`, formatNumber(one), formatNumber(all)]
    }),
  ])
}

const sections: Readonly<Record<string, (results: Results) => string>> = {
  measured: writeMeasured,
  modelled: writeModelled,
  deliveries: writeDeliveries,
}

/** The page with what was measured and modelled. Fails: throws where it has no place for it, or there are no results. */
export const replaceScale = (page: string, results: Results): string =>
  Object.entries(sections).reduce((text, [name, write]) => {
    const place = new RegExp(`(<!-- ${name} -->)[^]*?(<!-- /${name} -->)`)
    if (!place.test(text)) throw new Error(`docs/scale.md has no place for what is ${name}.`)
    return text.replace(place, (_, begin: string, end: string) => `${begin}\n\n${write(results)}\n\n${end}`)
  }, page)
