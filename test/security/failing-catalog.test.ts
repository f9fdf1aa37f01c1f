import { expect, it } from "vitest"
import { describeDataFolder } from "../../src/cli/deployment/deployment.ts"
import { names } from "../../src/protocol.ts"
import { CatalogError, createMemoryCatalog } from "../../src/ingest.ts"
import { SluiceApi } from "../../src/api.ts"
import { appId, createGrant, putRaw, register, startIngest, token } from "../ingest/circle.ts"
import { breakCatalog } from "../ingest/storage/break-catalog.ts"
import { startRealIngest } from "./running-ingest.ts"

it("a catalog that fails is a 503 with Retry-After wherever it is asked, in listings and statistics too", async () => {
  const { url, data, apiKey, sign, child, ended } = await startRealIngest(["--log-level", "Warning"])
  const [{ signed, key }, other] = [await sign(), await sign({ size: 200_000 })]
  expect((await putRaw(signed, "hello")).status).toBe(200)
  breakCatalog(describeDataFolder(data).catalog)
  const ask = (operation: string, body: object) =>
    fetch(`${url}/${names.path.api}/${operation}`, {
      method: "POST",
      headers: { [names.header.apiKey]: apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const answers: Record<string, Response> = {
    read: await fetch(`${url}/f/${key}`),
    "a small upload": await putRaw((await sign()).signed, "hello"),
    "a large upload": await putRaw(other.signed, new Uint8Array(200_000)),
    offset: await fetch(other.signed, { method: "HEAD" }),
    register: await register(url, { fileKeys: [key] }, apiKey),
    listFiles: await ask("listFiles", {}),
    getUsageInfo: await ask("getUsageInfo", {}),
    deleteFiles: await ask("deleteFiles", { fileKeys: [key] }),
    renameFiles: await ask("renameFiles", { updates: [{ fileKey: key, newName: "b.txt" }] }),
    requestFileAccess: await ask("requestFileAccess", { fileKey: key }),
    updateACL: await ask("updateACL", { updates: [{ fileKey: key, acl: "private" }] }),
  }
  for (const [name, answer] of Object.entries(answers)) {
    expect([name, answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([name, 503, true])
  }
  child.kill("SIGKILL")
  const { stderr } = await ended
  expect(stderr).toContain("SQLITE_CORRUPT")
  expect(stderr).not.toContain("failed unexpectedly")
})

it("a file whose key or path the catalog cannot look up is a 503, not one that is not there", async () => {
  const catalog = createMemoryCatalog()
  const fail = () => Promise.reject(new CatalogError("busy", "Another process holds it."))
  const { url } = await startIngest({ catalog: { ...catalog, get: fail, findByPath: fail } })
  const base = await new SluiceApi({ token, ingestUrl: url }).generateSignedPrefixURL("v/")
  expect((await fetch(`${base}a`)).status).toBe(503)
  expect((await fetch(`${url}/${names.path.appFile}/${appId}/${createGrant().key}`)).status).toBe(503)
})
