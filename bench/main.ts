import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { benchCallback } from "./callback.ts"
import { benchClient } from "./client.ts"
import { benchColdStart } from "./cold-start.ts"
import { benchFiles } from "./files.ts"
import { benchHandler } from "./handler.ts"
import { benchIngest } from "./ingest.ts"
import { benchPage } from "./page.ts"
import { describeMachine, watchOthers } from "./machine.ts"
import { benchList } from "./list.ts"
import { installPeers } from "./peers.ts"
import { publish } from "./publish.ts"
import type { Report } from "./report.ts"
import { benchTypes } from "./types.ts"
import { benchScale } from "./scale.ts"
import { benchProcesses } from "./scale/processes.ts"
import { writePage } from "./write-page.ts"

const benches: Readonly<Record<string, (rounds: number | undefined) => Promise<ReadonlyArray<Report>>>> = {
  handler: benchHandler,
  callback: benchCallback,
  "cold-start": benchColdStart,
  types: benchTypes,
  put: benchIngest("put"),
  get: benchIngest("get"),
  slow: benchIngest("slow"),
  client: benchClient,
  files: benchFiles,
  page: benchPage,
  list: benchList,
  scale: benchScale,
  processes: benchProcesses,
}

const help = `npm run bench [-- [--rounds N] [--write] name…]

names: ${Object.keys(benches).join(", ")}; all where none is given
--rounds N   so many rounds instead of those that each bench takes by itself
--write      measures what is named, and writes it into bench/RESULTS.md, its plots and the README's words on speed; where
             nothing is named it measures nothing, and takes what was measured last of each bench (bench/.results)

All of it: npm run bench && npm run bench -- --write. Nothing else should run meanwhile: each result says how much of the
processors others used.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string" }, write: { type: "boolean" }, help: { type: "boolean", short: "h" } },
})
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name))
if (values.help === true || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no bench ${unknown.join(", ")}.`)
  console.log(help)
  process.exit(unknown.length > 0 ? 1 : 0)
}

const measure = async (names: ReadonlyArray<string>, rounds: number | undefined): Promise<void> => {
  const root = join(import.meta.dirname, "..")
  installPeers()
  execFileSync(process.execPath, [join(root, "node_modules/tsup/dist/cli-default.js")], { cwd: root, stdio: "inherit" })
  const { date, node, cpu, memory, versions } = describeMachine()
  console.log(`${date}, Node ${node}, ${cpu}, ${memory}`)
  console.log(
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  )
  console.log("Medians over rounds (lowest..highest); all cases of a table run in turn, one process a case and round.")
  for (const name of names) {
    const machine = describeMachine()
    const endWatch = watchOthers()
    const reports = await benches[name]!(rounds)
    publish(name, { machine: { ...machine, ...endWatch() }, reports })
  }
}

const isToWrite = values.write === true
const names = positionals.length > 0 || isToWrite ? positionals : Object.keys(benches)
if (names.length > 0) await measure(names, values.rounds === undefined ? undefined : Number(values.rounds))
if (isToWrite) await writePage(positionals)
