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
import { installPeers } from "./peers.ts"
import { describeMachine, publish, type Report } from "./report.ts"
import { benchTypes } from "./types.ts"

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
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string" }, help: { type: "boolean", short: "h" } },
})
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name))
if (values.help === true || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no bench ${unknown.join(", ")}.`)
  console.log(
    `npm run bench [-- [--rounds N] name…]\nnames: ${Object.keys(benches).join(", ")}; all where none is given`,
  )
  process.exit(unknown.length > 0 ? 1 : 0)
}

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
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
  publish(name, await benches[name]!(rounds))
}
