import { request as httpRequest } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { createFileKey, createSigner, encodeAppId, names, parseToken, signUploadUrl } from "../../src/protocol.ts"
import { runCommand } from "../cli/run-command.ts"
import { createGrant, eventually, listen, putRaw, register } from "../ingest/circle.ts"
import { acme, makeDataFolder, openCatalog, startIngestProcess, type Tenant } from "./two-apps.ts"

/** What an app is answered by the REST API. */
const call = async (url: string, apiKey: string, operation: string, body: object = {}): Promise<unknown> => {
  const response = await fetch(`${url}/${names.path.api}/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify(body),
  })
  return response.status === 200 ? response.json() : response.status
}

/** Sends a small file but for its last byte, and that when it is told to. */
const putSlowly = (url: string) => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const sending = httpRequest(url, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream", "content-length": 5 },
  })
  sending.on("response", (response) => resolve(response.resume().statusCode!)).on("error", () => resolve(0))
  sending.write("hell")
  return { answer: promise, finish: () => void sending.end("o") }
}

it("an app that is made with the id of a deleted one gets nothing of it: no registration, event, usage or upload", async () => {
  const data = await makeDataFolder()
  const { url } = await startIngestProcess(data, ["--callback-networks", "any"])
  const told: Array<string> = []
  const callbackUrl = await listen((request, response) => {
    let text = ""
    request.on("data", (chunk: Buffer) => (text += chunk.toString()))
    request.on("end", () => {
      told.push(text)
      // It will be tried again.
      response.writeHead(500).end()
    })
  })
  const sign = async ({ id, apiKey }: Tenant, key = createFileKey(encodeAppId(id)), type = "text/plain") => {
    const grant = createGrant({ key, appId: id, slug: "avatar", type })
    return { key, url: await signUploadUrl(url, grant, createSigner(apiKey)) }
  }
  const announce = (key: string, { apiKey }: Tenant) =>
    register(url, { fileKeys: [key], callbackUrl, metadata: { secret: "of the old app" } }, apiKey)

  const lying = await sign(acme, undefined, "image/png")
  const awaited = await sign(acme)
  const slow = await sign(acme)
  for (const { key } of [lying, awaited, slow]) expect((await announce(key, acme)).status).toBe(200)
  expect((await putRaw(lying.url, Uint8Array.of(0x4d, 0x5a, 0x90, 0, 3))).status).toBe(415)
  await eventually(() => told.length === 1)
  const late = putSlowly(slow.url)
  await sleep(300)

  const options = ["--data", data, "--json"]
  expect(await runCommand(["apps", "delete", acme.id, ...options])).toMatchObject({ code: 0 })
  const { code, stdout } = await runCommand(["apps", "create", acme.id, "--ingest-url", url, ...options])
  expect(code).toBe(0)
  const token = parseToken((JSON.parse(stdout) as { readonly token: string }).token)
  if (!token.ok) throw new Error(token.detail)
  const fresh: Tenant = { id: acme.id, apiKey: token.value.apiKey }
  late.finish()
  expect(await late.answer).toBe(403)
  await eventually(async () => (await call(url, fresh.apiKey, "listFiles")) !== 401)

  expect(await call(url, acme.apiKey, "listFiles")).toBe(401)
  expect(await call(url, fresh.apiKey, "listFiles")).toMatchObject({ files: [] })
  expect(await call(url, fresh.apiKey, "getUsageInfo")).toMatchObject({ totalBytes: 0, filesUploaded: 0 })
  const registrations = await fetch(`${url}/${names.path.registrations}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: fresh.apiKey },
    body: JSON.stringify({ files: [{ key: awaited.key }] }),
  })
  expect(registrations.status).toBe(404)
  // A key the old app has used is one that nobody has.
  const again = await sign(fresh, awaited.key)
  expect((await announce(again.key, fresh)).status).toBe(200)
  expect((await putRaw(again.url, "hello")).status).toBe(502)
  expect((await putRaw(awaited.url, "hello")).status).toBe(403)
  const catalog = openCatalog(data)
  const deliveries = await catalog.listDeliveries({ limit: 10 })
  expect(deliveries.map(({ file }) => file.key)).toEqual([awaited.key])
  expect(await catalog.get(lying.key)).toBeNull()
  expect(await catalog.get(slow.key)).toBeNull()
  await catalog.close()
}, 60_000)
