import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { readdir, readFile, stat } from "node:fs/promises"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { createRouteHandler, createSluice, type FileRouter } from "../../adapters/node.ts"
import { ingestSettings } from "../../src/cli/settings/settings.ts"
import { generateUploader } from "../../src/client.ts"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  encodeToken,
  names,
  parseDuration,
  signUploadUrl,
  type Token,
} from "../../src/protocol.ts"
import { sealPrefixUrl } from "../../src/protocol/signing/prefix-grant.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { skipLacking } from "../skip-lacking.ts"
import { awayAnswer, hasCommand, proxies, readAway } from "./proxies.ts"
import { setUpProxy as setUp } from "./set-up-proxy.ts"

const MiB = 1024 * 1024

const sign = async ({ apiKey, appId }: Token, url: string, size: number): Promise<string> => {
  const key = createFileKey(encodeAppId(appId))
  const grant = { key, appId, expires: Date.now() + 3_600_000, name: "file.txt", size, type: "text/plain" }
  return signUploadUrl(url, grant, createSigner(apiKey))
}

const fileUrl = (url: string, signed: string): string =>
  `${url}/${names.path.file}/${new URL(signed).pathname.split("/").at(-1)}`

/** Resident memory of a process, bytes. */
const residentOf = async (pid: number): Promise<number> =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))![1]) * 1024

/** Bytes in the store. */
const storedBytes = async (data: string): Promise<number> => {
  const entries = await readdir(join(data, "files"), { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => stat(join(parentPath, name)).then(({ size }) => size))
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

describe.each(proxies)("an ingest behind $name as the docs set it up", ({ name, start }) => {
  it("gets 1 GiB as the client sends it, and keeps neither the proxy's disk nor its own memory full", async (context) => {
    if (!hasCommand(name)) skipLacking(context, `there is no ${name}: apt-get install ${name}`)
    const { data, url, ingest, proxy, token } = await setUp(start, "root")
    const piece = randomBytes(MiB)
    const total = 1024
    const signed = await sign(token, url, total * MiB)
    const headers = { range: "bytes=0-", "content-length": total * MiB }
    const sent = request(signed, { method: "PUT", headers })
    const answered = once(sent, "response")
    const hash = createHash("sha256")
    const idle = await residentOf(ingest.child.pid!)
    let peak = 0
    for (let index = 0; index < total; index++) {
      hash.update(piece)
      if (!sent.write(piece)) await once(sent, "drain")
      // What was sent has to arrive before the rest is: a proxy that waits for the whole body never gets it.
      if (index % 256 === 255) {
        if (index < total - 1) while ((await storedBytes(data)) < (index - 32) * MiB) await sleep(20)
        expect(await proxy.listTemporary()).toEqual([])
      }
      if (index % 32 === 0) peak = Math.max(peak, await residentOf(ingest.child.pid!))
    }
    sent.end()
    const [response] = await answered
    const chunks: Array<Buffer> = []
    for await (const chunk of response) chunks.push(chunk)
    expect(response.statusCode).toBe(200)
    const expected = hash.digest("hex")
    expect(JSON.parse(Buffer.concat(chunks).toString()).fileHash).toBe(expected)
    expect(peak - idle).toBeLessThan(256 * MiB)

    const range = await fetch(fileUrl(url, signed), { headers: { range: `bytes=${700 * MiB - 5}-${700 * MiB + 4}` } })
    expect([range.status, range.headers.get("content-range")]).toEqual([
      206,
      `bytes ${700 * MiB - 5}-${700 * MiB + 4}/${total * MiB}`,
    ])
    const bytes = Buffer.from(await range.arrayBuffer())
    expect(bytes.equals(Buffer.concat([piece.subarray(-5), piece.subarray(0, 5)]))).toBe(true)
    const whole = await fetch(fileUrl(url, signed))
    const got = createHash("sha256")
    for await (const chunk of whole.body!) got.update(chunk)
    expect(got.digest("hex")).toBe(expected)
    expect(await proxy.listTemporary()).toEqual([])
  }, 240_000)

  it("keeps what came of an upload that was cut, which goes on from there; its log has no signature and no grant", async (context) => {
    if (!hasCommand(name)) skipLacking(context, `there is no ${name}: apt-get install ${name}`)
    const { data, url, proxy, token } = await setUp(start, "root")
    const bytes = randomBytes(8 * MiB)
    const signed = await sign(token, url, bytes.length)
    const cut = request(signed, { method: "PUT", headers: { range: "bytes=0-", "content-length": bytes.length } })
    cut.on("error", () => {})
    cut.write(bytes.subarray(0, 5 * MiB))
    while ((await storedBytes(data)) < 4 * MiB) await sleep(20)
    cut.destroy()
    let offset = 0
    while (offset === 0) {
      const head = await fetch(signed, { method: "HEAD" })
      if (head.status === 200) offset = Number(head.headers.get(names.header.rangeStart))
      else await sleep(50)
    }
    expect(offset).toBeGreaterThanOrEqual(4 * MiB)
    const rest = new Uint8Array(bytes.subarray(offset))
    const answer = await fetch(signed, { method: "PUT", body: rest, headers: { range: `bytes=${offset}-` } })
    expect(answer.status).toBe(200)
    expect((await answer.json()).fileHash).toBe(createHash("sha256").update(bytes).digest("hex"))
    // One whose signature is wrong is refused, and logged as any other.
    await fetch(
      signed.replace(/.$/, (last) => (last === "a" ? "b" : "a")),
      { method: "HEAD" },
    )
    const sealer = createSealer(token.apiKey)
    const grant = { prefix: "videos/42/", expires: Date.now() + 60_000 }
    const base = await sealPrefixUrl(url, token.appId, grant, sealer)
    for (const path of ["720p/seg1.ts", "line%0Aend", "a%20b?_=1", ""]) {
      expect((await fetch(base + path)).status).toBe(404)
    }
    await proxy.stop()
    const logs = await proxy.readLogs()
    expect(logs).toContain(new URL(signed).pathname)
    expect(logs).toContain("720p/seg1.ts")
    expect(logs).not.toContain("signature=")
    expect(logs).not.toContain(base.split("/").at(-2)!.slice(0, 20))
  }, 60_000)

  it("tells clients of any origin to wait while the ingest is away, and passes on what it answers", async (context) => {
    if (!hasCommand(name)) skipLacking(context, `there is no ${name}: apt-get install ${name}`)
    const { url, ingest, token } = await setUp(start, "root")
    const signed = await sign(token, url, 5)
    const ask = (method: string) => fetch(signed, { method, body: method === "PUT" ? "hello" : null })
    expect((await ask("OPTIONS")).status).toBe(204)
    expect(await (await ask("GET")).json()).toMatchObject({ code: expect.stringMatching(/^(?!INGEST_UNAVAILABLE)/) })
    ingest.child.kill("SIGTERM")
    await ingest.ended
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT"])
      expect(await readAway(await ask(method)), method).toEqual(awayAnswer(method, 5))
  })

  it.for(["root", "stripped", "unstripped"] as const)(
    "waits for the app's answer, with the ingest at a base path: %s",
    { timeout: 60_000 },
    async (mount, context) => {
      if (!hasCommand(name)) skipLacking(context, `there is no ${name}: apt-get install ${name}`)
      const { url, token } = await setUp(start, mount)
      const f = createSluice()
      const router = {
        text: f({ text: { maxFileSize: "4MB" } }, { awaitServerData: true }).onUploadComplete(async ({ file }) => {
          await sleep(3000)
          return { said: file.url }
        }),
      } satisfies FileRouter
      const server = createServer().listen(0, "127.0.0.1")
      await once(server, "listening")
      onTestFinished(() => void server.close())
      const app = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/sluice`
      const text = encodeToken({ ...token, ingestUrl: url })
      const handle = createRouteHandler({ router, token: text, callbackUrl: app, isDev: false })
      server.on("request", (req, res) => void handle(req, res))
      const { uploadFiles } = generateUploader<typeof router>({ url: app })
      const [result] = await uploadFiles("text", { files: [new File(["hello"], "hello.txt", { type: "text/plain" })] })
      expect(result).toMatchObject({ status: "done" })
      const { said } = (result as unknown as { serverData: { said: string } }).serverData
      expect(said.startsWith(`${url}/`)).toBe(true)
      expect(await (await fetch(said)).text()).toBe("hello")
    },
  )
})

describe("the proxies' settings", () => {
  it("give the ingest longer than it may be silent", async () => {
    const toMs = (text: string): number => {
      const parsed = parseDuration(text)
      if (!parsed.ok) throw new Error(parsed.detail)
      return parsed.value
    }
    const longest = Math.max(
      ...(["callbackWait", "callbackTimeout", "heartbeat"] as const).map((setting) =>
        toMs(ingestSettings[setting].initial),
      ),
    )
    for (const file of ["nginx.conf", "nginx-base-path.conf", "Caddyfile"]) {
      const text = await readFile(join(import.meta.dirname, "../../deploy", file), "utf8")
      const timeouts = [...text.matchAll(/(?:proxy_read_timeout|response_header_timeout) (\w+)/g)]
      expect(timeouts.length, file).toBe(1)
      expect(toMs(timeouts[0]![1]!), file).toBeGreaterThan(longest * 2)
    }
  })
})
