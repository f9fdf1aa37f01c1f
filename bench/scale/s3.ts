import { join } from "node:path"
import { startRadosgw } from "../../test/ingest/storage/s3/start-radosgw.ts"
import { withDataFolder } from "../data-folder.ts"
import type { Report } from "../report.ts"
import { runRounds } from "../rounds.ts"

const load = join(import.meta.dirname, "../ingest/load.ts")
const wrongBytes = join(import.meta.dirname, "wrong-bytes.ts")
const [kibibyte, gibibyte] = [1024, 1024 ** 3]

/** The two that put files into a bucket of one's own, resumable; `@tus/s3-store` works out no SHA-256 of a file. */
const [ours, theirs] = ["sluice over S3", "@tus/server with @tus/s3-store"] as const

/** Whether Ceph's radosgw can be had here. */
const hasRadosgw = async (): Promise<boolean> => {
  const server = await startRadosgw()
  if ("stop" in server) await server.stop()
  else console.log(`Ceph's radosgw is not measured: ${server.missing}.`)
  return "stop" in server
}

/** The buckets that files are put into, by the word that names them in the environment of a case. */
const findBuckets = async (): Promise<ReadonlyArray<readonly [word: string, name: string]>> => [
  ...((await hasRadosgw()) ? [["radosgw", "Ceph's radosgw"] as const] : []),
  ["double", "a double of S3 that keeps no parts"],
]

const putFile = async (word: string, name: string, rounds: number): Promise<Report> =>
  withDataFolder("scale", async (data) => {
    const cases = [ours, theirs].map((server) => ({
      name: server,
      args: [load, server, "put", gibibyte, 1, 1, data].map(String),
      env: { BENCH_BUCKET: word },
    }))
    return {
      title: `PUT, a file of 1 GiB into ${name}`,
      figures: { throughput: "MiB/s", cpu: "CPU s/GiB", peak: "peak MiB", cpuBeside: "bucket's CPU s/GiB" },
      aims: [
        { of: ours, to: theirs, figure: "throughput", atLeast: 1.7 },
        { of: ours, to: theirs, figure: "cpu", atMost: 0.5 },
        { of: ours, figure: "peak", atMost: 300 },
      ],
      rounds: await runRounds(cases, rounds),
    }
  })

const putSlowly = async (rounds: number): Promise<Report> =>
  withDataFolder("scale", async (data) => {
    const cases = [ours, theirs].map((server) => ({
      name: server,
      args: [load, server, "slow", 256 * kibibyte, 1000, 1000, data].map(String),
      env: { BENCH_BUCKET: "double" },
    }))
    return {
      title: "1,000 slow uploads at once into a double of S3, 256 KiB each over some 8 s",
      figures: {
        stored: "stored",
        lost: "lost",
        wait50: "others wait p50 ms",
        wait99: "p99 ms",
        peak: "peak MiB",
        cpuPerRequest: "CPU µs/upload",
      },
      aims: [
        { of: ours, figure: "lost", atMost: 0 },
        { of: ours, figure: "peak", atMost: 450 },
      ],
      rounds: await runRounds(cases, rounds),
    }
  })

/** A part fails while the next one is stored, and the upload is resumed: the peers' known fault. */
const resumeAfterGap = async (rounds: number): Promise<Report> => {
  const cases = [ours, theirs].map((server) => ({ name: server, args: [wrongBytes, server] }))
  return {
    title: "Part 2 of 4 fails while part 3 is stored, then resume: 8 MiB are stored without a gap",
    figures: { wrong: "files with wrong bytes", named: "MiB that the offset names", status: "last status" },
    aims: [
      { of: ours, figure: "wrong", atMost: 0 },
      { of: ours, figure: "named", atMost: 8 },
    ],
    rounds: await runRounds(cases, rounds),
  }
}

/** Files in a bucket: `sluice ingest`, hash on, beside what people would take instead. */
export const benchS3 = async (rounds = 3): Promise<ReadonlyArray<Report>> => {
  const reports: Array<Report> = []
  for (const [word, name] of await findBuckets()) reports.push(await putFile(word, name, rounds))
  reports.push(await putSlowly(rounds), await resumeAfterGap(1))
  return reports
}
