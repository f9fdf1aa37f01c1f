import { appendFile, mkdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { StoredFile } from "../../src/server.ts"

/** What the app remembers of a stored file. */
export type KeptUpload = Pick<StoredFile, "key" | "name" | "size" | "url">

/** A guest's files by the route they came through, newest first. */
export interface KeptUploads {
  readonly avatar: ReadonlyArray<KeptUpload>
  readonly files: ReadonlyArray<KeptUpload>
  readonly document: ReadonlyArray<KeptUpload>
}

interface Row extends KeptUpload {
  readonly guest: string
  readonly route: keyof KeptUploads
}

/** The app's database: a line of JSON per file. One for all frameworks, as the ingest is. */
const file = join(process.env["PLAYGROUND_DATA"] ?? ".sluice", "playground", "uploads.jsonl")

const readRows = async (): Promise<ReadonlyArray<Row>> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

/** Remembers whose a file is. */
export const keepUpload = async (
  guest: string,
  route: keyof KeptUploads,
  { key, name, size, url }: StoredFile,
): Promise<KeptUpload> => {
  await mkdir(dirname(file), { recursive: true })
  await appendFile(file, `${JSON.stringify({ guest, route, key, name, size, url } satisfies Row)}\n`)
  return { key, name, size, url }
}

/** What a guest has uploaded. */
export const findUploads = async (guest: string): Promise<KeptUploads> => {
  const rows = (await readRows()).filter((row) => row.guest === guest)
  // By key: an upload is reported at least once, and may be kept twice.
  const newestFirst = [...new Map(rows.map((row) => [row.key, row])).values()].toReversed()
  const of = (route: keyof KeptUploads): ReadonlyArray<KeptUpload> =>
    newestFirst.filter((row) => row.route === route).map(({ key, name, size, url }) => ({ key, name, size, url }))
  return { avatar: of("avatar"), files: of("files"), document: of("document") }
}
