import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  names,
  signUploadUrl,
  signUrl,
  type UploadGrant,
} from "../../src/protocol.ts"
import { SluiceApi } from "../../src/api.ts"
import { encodeToken } from "../../src/protocol.ts"
import { skipLacking } from "../skip-lacking.ts"
import { hasCommand, proxies } from "./proxies.ts"
import { setUpProxy } from "./set-up-proxy.ts"

/* A real nginx that keeps files, as docs/cdn.md shows it. */

/** The blocks of the page, in order. */
const readBlocks = async (folder: string): Promise<ReadonlyArray<string>> => {
  const page = await readFile(join(import.meta.dirname, "../../docs/cdn.md"), "utf8")
  const blocks = [...page.matchAll(/```nginx\n([\s\S]*?)```/g)].map(([, block]) => block!)
  expect(blocks).toHaveLength(2)
  return blocks.map((block) =>
    block.replaceAll("/var/cache/nginx", join(folder, "cache")).replaceAll("/var/log/nginx", join(folder, "logs")),
  )
}

describe("nginx as docs/cdn.md sets it up", () => {
  it("keeps what is immutable, also when it is deleted, and nothing else", async (context) => {
    if (!hasCommand("nginx")) skipLacking(context, "there is no nginx: apt-get install nginx")
    const { start } = proxies.find(({ name }) => name === "nginx")!
    const { url, token } = await setUpProxy(async (plan) => {
      await mkdir(join(plan.folder, "cache"))
      const [outside, inside] = await readBlocks(plan.folder)
      const changes = [
        ["upstream sluice_ingest {", `${outside}\nupstream sluice_ingest {`],
        ["  location / {", `${inside}\n  location / {`],
      ] as const
      return start({ ...plan, changes })
    }, "root")
    const signer = createSigner(token.apiKey)
    const store = async (grant: Partial<UploadGrant>) => {
      const key = createFileKey(encodeAppId(token.appId))
      const whole = {
        key,
        appId: token.appId,
        expires: Date.now() + 60_000,
        name: "a",
        size: 5,
        type: "image/png",
        ...grant,
      }
      const answer = await fetch(await signUploadUrl(url, whole, signer), { method: "PUT", body: "hello" })
      expect(await answer.json()).toMatchObject({ key })
      return key
    }
    const read = async (address: string, init?: RequestInit) => {
      const answer = await fetch(address, init)
      return [answer.status, await answer.text(), answer.headers.get("x-cache")]
    }
    const kept = await store({ cache: "immutable", type: "text/plain" })
    const asked = await store({ type: "text/plain" })
    const secret = await store({ cache: "immutable", acl: "private", type: "text/plain" })
    const at = (key: string) => `${url}/${names.path.file}/${key}`

    expect(await read(at(kept))).toEqual([200, "hello", "MISS"])
    expect(await read(at(kept))).toEqual([200, "hello", "HIT"])
    expect(await read(at(kept), { headers: { range: "bytes=1-2" } })).toEqual([206, "el", "HIT"])
    expect(await read(at(asked))).toEqual([200, "hello", "MISS"])
    expect(await read(at(asked))).toEqual([200, "hello", "MISS"])
    const signed = await signUrl(`${at(secret)}?${names.query.expires}=${Date.now() + 60_000}`, signer)
    expect(await read(signed)).toEqual([200, "hello", "MISS"])
    expect(await read(signed)).toEqual([200, "hello", "MISS"])

    const api = new SluiceApi({ token: encodeToken({ ...token, ingestUrl: url }) })
    await api.deleteFiles([kept, asked])
    expect(await read(at(kept))).toEqual([200, "hello", "HIT"])
    expect((await read(at(asked)))[0]).toBe(404)
  }, 60_000)
})
