import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { createSqliteCatalog } from "../../src/ingest.ts"
import { encodeAppId, names, parseToken } from "../../src/protocol.ts"
import { createFileKey } from "../../src/protocol/files/key.ts"
import { createSigner } from "../../src/protocol/signing/signature.ts"
import { signUploadUrl } from "../../src/protocol/signing/signed-url.ts"
import { openConnection } from "../ingest/http-client.ts"
import { startIngest } from "../ingest/servers.ts"
import { quantile } from "../statistics.ts"
import { keyOf } from "./fill-catalog.ts"

/**
 * One process has `sluice ingest` delete all files of an owner, while another app sends small files:
 * `node delete-owner.ts <files> <folder>`. Prints what the app and its neighbour saw.
 */
const [, , count = "", parent = ""] = process.argv
const files = Number(count)
const owner = "user-7"
const size = 1024
const folder = mkdtempSync(join(parent, "delete-owner-"))

const readToken = (text: string) => {
  const token = parseToken(text)
  if (!token.ok) throw new Error(token.detail)
  return token.value
}

/** As many files of the owner as it takes, whose bytes are in the catalog, as those of small files are. */
const fill = (file: string, appId: string): void => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA synchronous = OFF; BEGIN")
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO files (key, app_id, status, name, size, type, origin, expires, epoch, created_at, uploaded_at, file_hash,
        has_bytes, is_inline, owner, path)
      SELECT ? || printf('%022d', n), ?, 'Uploaded', printf('photo-%07d.jpg', n), ${size}, 'image/jpeg',
        'http://localhost:4790', 4e12, 1, 1.7e12 + n, 1.7e12 + n, '${"ab".repeat(32)}', 1, 1, ?,
        printf('albums/photo-%07d.jpg', n) FROM numbers`,
    )
    .run(files, encodeAppId(appId), appId, owner)
  database.exec(`INSERT INTO contents (file_id, bytes) SELECT id, zeroblob(${size}) FROM files; COMMIT`)
  database.close()
}

// The first start makes the token and the catalog.
const first = await startIngest(folder)
await first.stop()
const { appId, apiKey } = readToken(first.token)
const neighbour = { appId: "neighbour", apiKey: "sk_live_neighbour0123456789" }
const catalog = createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
const unset = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }
await catalog.createApp({ id: neighbour.appId, createdAt: Date.now(), ...unset })
await catalog.addKey({ ...neighbour, now: Date.now() })
await catalog.close()
fill(join(folder, "catalog.sqlite"), appId)

const { url, port, stop } = await startIngest(folder)
const host = `host: localhost:${port}\r\n`
const text = (...parts: ReadonlyArray<string>) => [Buffer.from(parts.join(""))]

const app = await openConnection(port)
const call = async <A>(operation: string, body: object): Promise<A> => {
  const sent = JSON.stringify(body)
  const head = `POST /${names.path.api}/${operation} HTTP/1.1\r\n${host}${names.header.apiKey}: ${apiKey}\r\n`
  const rest = `content-type: application/json\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`
  const answer = await app.ask(text(head, rest), true)
  if (answer.status !== 200) throw new Error(`${operation} answered ${answer.status}: ${answer.body}`)
  return JSON.parse(answer.body) as A
}

/** The status of each of some files of the owner, from the first to the last. */
const readSome = async (): Promise<ReadonlyArray<number>> => {
  const statuses: Array<number> = []
  for (let i = 0; i < 20; i++) {
    const key = keyOf(encodeAppId(appId), Math.floor(1 + (i * (files - 1)) / 19))
    statuses.push((await app.ask(text(`GET /f/${key} HTTP/1.1\r\n${host}\r\n`))).status)
  }
  return statuses
}

/** The neighbour sends one small file after the other until it is told to stop; ms each took. */
const signer = createSigner(neighbour.apiKey)
const prefix = encodeAppId(neighbour.appId)
const content = "x".repeat(size)
const sendUntil = async (isOver: () => boolean): Promise<ReadonlyArray<number>> => {
  const { ask, socket } = await openConnection(port)
  const times: Array<number> = []
  while (!isOver()) {
    const grant = { key: createFileKey(prefix), name: "a.bin", size, type: "application/octet-stream" }
    const signed = await signUploadUrl(
      url,
      { ...grant, appId: neighbour.appId, expires: Date.now() + 3_600_000 },
      signer,
    )
    const head = `PUT ${signed.slice(url.length)} HTTP/1.1\r\n${host}content-type: ${grant.type}\r\n`
    const started = performance.now()
    const answer = await ask(text(head, `content-length: ${size}\r\n\r\n`, content), true)
    times.push(performance.now() - started)
    if (answer.status !== 200) throw new Error(`A PUT was answered ${answer.status}: ${answer.body}`)
  }
  socket.removeAllListeners("close").destroy()
  return times
}

const sendFor = (span: number) => {
  const end = performance.now() + span
  return sendUntil(() => performance.now() >= end)
}

const before = await readSome()
if (before.some((status) => status !== 200)) throw new Error(`Before the deletion: ${before.join(", ")}`)
await sendFor(1000)
const quiet = await sendFor(4000)

let isDone = false
const sending = sendUntil(() => isDone)
// The neighbour is under way when the deletion begins.
await sleep(20)
const started = performance.now()
await call("deleteFiles", { owner })
const answered = performance.now()
const after = await readSome()
while (!isDone) {
  const { deletions } = await call<{ deletions: ReadonlyArray<{ doneAt: number | null }> }>("listDeletions", {})
  isDone = deletions[0]!.doneAt !== null
  if (!isDone) await sleep(20)
}
const ended = performance.now()
const busy = await sending
app.socket.removeAllListeners("close").destroy()
await stop()
console.log(
  JSON.stringify({
    answer: answered - started,
    done: (ended - started) / 1000,
    stillRead: after.filter((status) => status !== 404).length,
    quiet50: quantile(quiet, 0.5),
    quiet99: quantile(quiet, 0.99),
    busy50: quantile(busy, 0.5),
    busy99: quantile(busy, 0.99),
  }),
)
process.exit(0)
