import type { Contestant, Workload } from "./contestants/contestant.ts"
import { quantile } from "./statistics.ts"

/** One process measures one contestant: `node measure.ts <contestant> upload|callback [files]`. */
const [, , name, action, files] = process.argv

const contestants: Readonly<Record<string, () => Promise<Contestant>>> = {
  sluice: async () => (await import("./contestants/sluice.ts")).sluice,
  uploadthing: async () => (await import("./contestants/uploadthing.ts")).uploadthing,
  "better-upload": async () => (await import("./contestants/better-upload.ts")).betterUpload,
  floor: async () => (await import("./contestants/floor.ts")).floor,
  noop: async () => (await import("./contestants/floor.ts")).noop,
}

const once = async ({ request, handle }: Workload) => {
  const response = await handle(request())
  return { status: response.status, body: await response.text() }
}

/** ms each call took, over a span of ms; at least five calls. */
const repeat = async (workload: Workload, span: number): Promise<Array<number>> => {
  const times: Array<number> = []
  const end = performance.now() + span
  for (let now = performance.now(); now < end || times.length < 5;) {
    await once(workload)
    const then = now
    now = performance.now()
    times.push(now - then)
  }
  return times
}

const contestant = await contestants[name ?? ""]!()
const workload = action === "callback" ? await contestant.callback!() : await contestant.upload(Number(files))
const first = await once(workload)
workload.check(first.status, first.body)
await repeat(workload, 800)
const started = performance.now()
const times = await repeat(workload, 1500)
const elapsed = performance.now() - started
const last = await once(workload)
workload.check(last.status, last.body)
console.log(
  JSON.stringify({
    rate: (times.length / elapsed) * 1000,
    p50: quantile(times, 0.5) * 1000,
    p99: quantile(times, 0.99) * 1000,
    rss: process.memoryUsage.rss() / 2 ** 20,
  }),
)
process.exit(0)
