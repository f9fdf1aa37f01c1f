import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  encodeToken,
  signUploadUrl,
  type UploadGrant,
} from "../../src/protocol.ts"
import type { FileLabels } from "../../src/protocol/files/file-labels.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { SluiceApi, SluiceFile, type UploadInput } from "../../src/api.ts"
import {
  apiKey,
  appId,
  catalogs,
  createApp,
  createGrant,
  encodedAppId,
  eventually,
  put,
  putRaw,
  register,
  sign,
  signer,
  startIngest,
  token,
} from "./circle.ts"
import { captureConsole } from "./capture-console.ts"
import { labelled } from "./labelled.ts"

const problemOf = async (response: Response) => {
  const { code, detail, data } = await response.json()
  return { status: response.status, code, detail, data }
}

describe.each(catalogs)("a file with labels (%s)", (_, create) => {
  const start = async (options: Parameters<typeof startIngest>[0] = {}) => {
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read", sweepInterval: 20, ...options })
    const send = async (labels: FileLabels, given: Partial<UploadGrant> = {}) => {
      const grant = await labelled(labels, given)
      const response = await putRaw(await sign(ingest.url, grant), "x".repeat(grant.size))
      return { grant, response }
    }
    const read = async (path: string) => (await fetch(path.startsWith("http") ? path : `${ingest.url}${path}`)).status
    return { ingest, send, read, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
  }

  it.each([5, 300_000])("is listed with them, found by owner and prefix, and moved: %d bytes", async (size) => {
    const { send, api } = await start()
    const { grant, response } = await send({ owner: "user-7", path: "photos/é.jpg" }, { size })
    expect(response.status).toBe(200)
    await send({ owner: "user-8", path: "photos/b.jpg" })
    await send({})
    const mine = { key: grant.key, owner: "user-7", path: "photos/é.jpg", expiresAt: null, claimBy: null }
    expect(await api.listFiles({ owner: "user-7" })).toMatchObject({ files: [mine] })
    expect((await api.listFiles({ prefix: "photos/" })).files.map(({ path }) => path)).toEqual([
      "photos/b.jpg",
      "photos/é.jpg",
    ])
    const pages: Array<string | null> = []
    for await (const { path } of api.listFiles({ prefix: "photos/", limit: 1 })) pages.push(path)
    expect(pages).toEqual(["photos/b.jpg", "photos/é.jpg"])
    expect(await api.moveFiles({ key: grant.key, path: "old/1.jpg" })).toEqual({ success: true, movedCount: 1 })
    expect((await api.listFiles({ prefix: "photos/", owner: "user-7" })).files).toEqual([])
    expect((await api.listFiles({ prefix: "old/", owner: "user-7" })).files).toMatchObject([{ key: grant.key }])
    expect(await api.getUsageInfo({ owner: "user-7" })).toEqual({
      totalBytes: size,
      filesUploaded: 1,
      announcedBytes: 0,
      limitBytes: null,
    })
    expect(await api.getUsageInfo()).toMatchObject({ filesUploaded: 3 })
  })

  it("is refused where its owner's quota has no room, which is told without saying who that is", async () => {
    const printed = captureConsole()
    const { send } = await start({ logLevel: "Info" })
    const labels = { owner: "user-7", ownerQuota: 9 }
    expect((await send(labels)).response.status).toBe(200)
    const problem = await problemOf((await send(labels)).response)
    expect(problem).toMatchObject({ status: 507, code: "QUOTA_EXCEEDED" })
    expect(problem.detail).toBe(
      '"hello.txt", a file of 5B, does not fit into what is left of the storage quota of the owner. Delete files of this owner first.',
    )
    const logged = printed.join("\n")
    expect(logged).toMatch(/The quota is 9B: 5B are stored, 0B are announced/)
    expect(logged).not.toContain("user-7")
    expect(problem.detail).not.toContain("user-7")
    expect((await send({ owner: "user-8", ownerQuota: 9 })).response.status).toBe(200)
    expect(await problemOf((await send({ ...labels, ownerQuota: 300_001 }, { size: 300_000 })).response)).toMatchObject(
      {
        code: "QUOTA_EXCEEDED",
      },
    )
    // Nothing that its owner deletes would make room for it.
    expect(await problemOf((await send({ ...labels, ownerQuota: 99 }, { size: 300_000 })).response)).toEqual({
      status: 413,
      code: "FILE_TOO_LARGE",
      detail: '"hello.txt", a file of 293KB, is larger than all the storage of its owner, 99B.',
      data: { maxSize: 99 },
    })
  })

  it("waits to be claimed: a signed URL alone reads it until then", async () => {
    const { ingest, send, read, api } = await start()
    const { grant } = await send({ claimWithin: 3_600_000 }, { acl: "public-read", customId: "avatar" })
    const addresses = [`/f/${grant.key}`, `/a/${appId}/${grant.key}`]
    for (const address of addresses) expect(await read(address)).toBe(403)
    expect(await read(`/a/${appId}/avatar`)).toBe(404)
    await expect(api.getSignedURL("avatar", { keyType: "customId" })).rejects.toMatchObject({ code: "NOT_FOUND" })
    const signed = await fetch(await api.getSignedURL(grant.key))
    expect([signed.status, signed.headers.get("cache-control")]).toEqual([200, "private, no-cache"])
    expect((await api.listFiles({ status: "Pending" })).files).toMatchObject([{ key: grant.key, status: "Pending" }])
    expect((await api.listFiles({ status: "Uploaded" })).files).toEqual([])
    expect(await api.claimFiles(grant.key)).toEqual({ success: true, claimedCount: 1, replacedCount: 0 })
    for (const address of [...addresses, `/a/${appId}/avatar`]) expect(await read(address)).toBe(200)
    expect((await api.listFiles({ status: "Uploaded" })).files).toMatchObject([{ key: grant.key, claimBy: null }])
    expect((await ingest.catalog.get(grant.key))?.file.claimBy).toBeNull()
  })

  it("is claimed while it is still being uploaded, with what it replaces", async () => {
    const { ingest, send, read, api } = await start()
    const old = await send({})
    const grant = await labelled({ claimWithin: 3_600_000 }, { size: 10, acl: "public-read" })
    const url = await sign(ingest.url, grant)
    expect((await putRaw(url, "12345")).status).toBe(409)
    const missing = `${encodedAppId}missing`
    const error = await api.claimFiles([grant.key, missing], { replaces: old.grant.key }).catch((cause) => cause)
    expect(error).toMatchObject({ code: "NOT_FOUND", status: 404, data: { missing: [missing] } })
    expect(await read(`/f/${old.grant.key}`)).toBe(200)
    expect(await api.claimFiles([grant.key], { replaces: [old.grant.key] })).toMatchObject({ replacedCount: 1 })
    expect(await read(`/f/${old.grant.key}`)).toBe(404)
    expect((await putRaw(url, "67890", 5)).status).toBe(200)
    expect(await read(`/f/${grant.key}`)).toBe(200)
  })

  it("is claimed for the file route that it came through, and for no other", async () => {
    const { ingest, send, api } = await start()
    const arrive = async (slug: string) => {
      const grant = await labelled({ claimWithin: 3_600_000, owner: "u" }, { slug })
      await register(ingest.url, { fileKeys: [grant.key], callbackSlug: slug, awaitServerData: false })
      expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
      return grant.key
    }
    const [photo, film] = [await arrive("photo"), await arrive("film")]
    const { grant: own } = await send({ claimWithin: 3_600_000, owner: "u" })
    const claim = (keys: ReadonlyArray<string>, slug: string) =>
      api.claimFiles(keys, { owner: "u", slug, replaces: film })
    for (const other of [film, own.key]) {
      await expect(claim([photo, other], "photo")).rejects.toMatchObject({ data: { missing: [other] } })
    }
    expect((await api.listFiles({ status: "Pending" })).files).toHaveLength(3)
    // What it replaces may have come through any.
    expect(await claim([photo], "photo")).toEqual({ success: true, claimedCount: 1, replacedCount: 1 })
    for (const slug of ["", "x".repeat(257)]) await expect(claim([photo], slug)).rejects.toMatchObject({ status: 400 })
    await expect(claim([photo], undefined as never)).rejects.toMatchObject({ code: "INVALID_CONFIG" })
  })

  it("is gone soon, with its bytes, once a claim has replaced it: no sweep has to come first", async () => {
    const ingest = await startIngest({ catalog: create(), sweepInterval: 1_000_000 })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const [old, next] = await api.uploadFiles([new File(["old"], "a"), new File(["new"], "a")])
    await api.claimFiles(next!.data!.key, { replaces: old!.data!.key })
    await eventually(async () => (await ingest.catalog.get(old!.data!.key)) === null)
  })

  it("is deleted soon after its time, however far apart sweeps are", async () => {
    const ingest = await startIngest({ catalog: create(), sweepInterval: 600_000 })
    const grant = await labelled({ keepFor: 300, owner: "u" })
    expect((await putRaw(await sign(ingest.url, grant), "x".repeat(grant.size))).status).toBe(200)
    await eventually(async () => (await ingest.catalog.get(grant.key)) === null)
    expect(await ingest.catalog.usageOfOwner(appId, "u")).toMatchObject({ files: 0 })
  })

  it("is kept by caches until it expires and no longer, and not while it waits to be claimed", async () => {
    const { ingest, send } = await start()
    const ruleOf = async (labels: FileLabels) => {
      const { grant } = await send(labels, { cache: "immutable" })
      return (await fetch(`${ingest.url}/f/${grant.key}`, { method: "HEAD" })).headers.get("cache-control")
    }
    const rule = await ruleOf({ keepFor: 3_600_000 })
    const [, seconds] = /^public, max-age=(\d+), immutable$/.exec(rule ?? "") ?? []
    expect(Number(seconds)).toBeLessThan(3600)
    expect(Number(seconds)).toBeGreaterThan(3500)
    expect(await ruleOf({ keepFor: 400 * 86_400_000 })).toBe("public, max-age=31536000, immutable")
    expect(await ruleOf({ claimWithin: 3_600_000 })).toBe("no-store")
  })

  it("is deleted when nobody claims it in time, and when it expires; what it took is free again", async () => {
    const { ingest, send, read, api } = await start()
    const sent = [await send({ claimWithin: 300, owner: "u" }), await send({ keepFor: 300, owner: "u" })]
    const kept = await send({ keepFor: 3_600_000, owner: "u" })
    for (const { grant } of sent) {
      await eventually(async () => (await ingest.catalog.get(grant.key)) === null)
      expect(await read(await api.generateSignedURL(grant.key))).toBe(404)
      await expect(api.claimFiles(grant.key)).rejects.toMatchObject({ data: { missing: [grant.key] } })
      // Its URL brings it back no more.
      expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(404)
    }
    expect(await api.getUsageInfo({ owner: "u" })).toMatchObject({ filesUploaded: 1 })
    expect(await api.updateFiles(kept.grant.key, { expiresIn: null })).toEqual({ success: true, updatedCount: 1 })
    expect((await api.listFiles({ owner: "u" })).files).toMatchObject([{ expiresAt: null }])
    const before = Date.now()
    await api.updateFiles(kept.grant.key, { expiresIn: "2 days" })
    const [file] = (await api.listFiles({ owner: "u" })).files
    expect(file!.expiresAt! - before).toBeGreaterThanOrEqual(2 * 86_400_000)
    expect(file!.expiresAt! - before).toBeLessThan(2 * 86_400_000 + 60_000)
  })

  it("is read by nobody from the moment on at which its time has passed, before any sweep", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const now = Date.now()
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read", sweepInterval: 1_000_000 })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const keep = await labelled({ keepFor: 60_000 }, { customId: "c", expires: now + 900_000, issuedAt: now })
    expect((await putRaw(await sign(ingest.url, keep), "hello")).status).toBe(200)
    const addresses = [`/f/${keep.key}`, `/a/${appId}/${keep.key}`, `/a/${appId}/c`]
    const statuses = () => Promise.all(addresses.map(async (address) => (await fetch(ingest.url + address)).status))
    vi.setSystemTime(now + 59_999)
    expect(await statuses()).toEqual([200, 200, 200])
    vi.setSystemTime(now + 60_000)
    expect(await statuses()).toEqual([404, 404, 404])
    expect((await fetch(await api.generateSignedURL(keep.key, { expiresIn: "1 hour" }))).status).toBe(404)
    await expect(api.getSignedURL(keep.key)).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(api.getSignedURL("c", { keyType: "customId" })).rejects.toMatchObject({ code: "NOT_FOUND" })
  })

  it("hides no older one with its custom id once its time has passed, before any sweep", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const now = Date.now()
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read", sweepInterval: 1_000_000 })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    for (const [content, labels] of [
      ["usual", {}],
      ["for a day", { keepFor: 60_000 }],
    ] as const) {
      const grant = await labelled(labels, { customId: "banner", size: content.length, issuedAt: now })
      expect((await putRaw(await sign(ingest.url, grant), content)).status).toBe(200)
    }
    const read = async (url: string) => (await fetch(url)).text()
    expect(await read(`${ingest.url}/a/${appId}/banner`)).toBe("for a day")
    vi.setSystemTime(now + 60_000)
    expect(await read(`${ingest.url}/a/${appId}/banner`)).toBe("usual")
    expect(await read(await api.generateSignedURL("banner", { keyType: "customId" }))).toBe("usual")
  })
})

describe("labels of what the server uploads", () => {
  const labels = { owner: "user-7", path: "a/b", ownerQuota: "1GB", expiresIn: "1 hour", claim: 60 } as const
  const start = async () => {
    const { url } = await startIngest()
    return new SluiceApi({ token, ingestUrl: url })
  }
  const whole = () => new Blob(["hello"])

  it.each<[string, () => UploadInput]>([
    ["a SluiceFile", () => new SluiceFile(["hello"], "a.txt", { labels })],
    ["a Blob with a name", () => Object.assign(whole(), { name: "a.txt", labels })],
    ["a file on the disk", () => ({ path: import.meta.filename, labels })],
    ["a stream", () => ({ stream: () => whole().stream(), size: 5, name: "a.txt", labels })],
  ])("are kept: %s", async (_, make) => {
    const api = await start()
    const { data, error } = await api.uploadFiles(make())
    expect(error).toBeNull()
    const [file] = (await api.listFiles({ owner: "user-7", prefix: "a/" })).files
    expect(file).toMatchObject({ key: data!.key, status: "Pending", claimBy: file!.uploadedAt! + 60_000 })
    expect(file!.expiresAt).toBe(file!.uploadedAt! + 3_600_000)
  })

  it("are those of the call where a file has none, and name the file where they are wrong", async () => {
    const api = await start()
    await api.uploadFiles([new File(["1"], "1"), new SluiceFile(["2"], "2", { labels: { owner: "b" } })], {
      labels: { owner: "a" },
    })
    for (const [owner, name] of [
      ["a", "1"],
      ["b", "2"],
    ] as const)
      expect((await api.listFiles({ owner })).files.map((file) => file.name)).toEqual([name])
    const { error } = await api.uploadFiles(new SluiceFile(["3"], "3.txt", { labels: { path: "../x" } }))
    expect(error).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/"3\.txt".*relative path/) })
    const typo = { labels: { ovner: "a" } } as never // the compiler would notice
    expect((await api.uploadFiles(new File(["4"], "4"), typo)).error).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("ovner"),
    })
  })
})

describe("labels that cannot be trusted", () => {
  const refused = { status: 403, code: "INVALID_SIGNATURE" }
  const labels = { owner: "user-7" }

  it.each<[string, () => Promise<UploadGrant>]>([
    ["sealed with another key", () => labelled(labels, {}, createSealer("sk_other"))],
    ["of another file", async () => ({ ...(await labelled(labels)), key: createFileKey(encodedAppId) })],
    [
      "a registration's seal",
      async () => {
        const grant = createGrant({ slug: "avatar" })
        return { ...grant, labels: await createSealer(apiKey).seal(JSON.stringify(labels), { appId, slug: "avatar" }) }
      },
    ],
    [
      "cut",
      async () => {
        const grant = await labelled(labels)
        return { ...grant, labels: grant.labels!.slice(0, -4) }
      },
    ],
    [
      "of a version of the future",
      async () => {
        const grant = await labelled(labels)
        return { ...grant, labels: `Ag${grant.labels!.slice(2)}` }
      },
    ],
    ["an owner that is none", () => labelled({ owner: "" })],
    ["a path that leaves its folder", () => labelled({ path: "../a" })],
    ["a quota that is no size", () => labelled({ owner: "u", ownerQuota: -1 })],
    ["a time that no clock can hold", () => labelled({ keepFor: 1e300 })],
    ["a time whose end no number can hold", () => labelled({ keepFor: Number.MAX_SAFE_INTEGER })],
    ["a wait of more than a century", () => labelled({ claimWithin: 101 * 366 * 86_400_000 })],
    ["not an object", () => labelled([] as object)],
  ])("%s: nothing is stored, and HEAD says so as well", async (_, make) => {
    const { url, catalog } = await startIngest()
    const grant = await make()
    const signed = await signUploadUrl(url, grant, signer)
    expect(await problemOf(await putRaw(signed, "hello"))).toMatchObject(refused)
    expect((await fetch(signed, { method: "HEAD" })).status).toBe(403)
    expect(await catalog.get(grant.key)).toBeNull()
  })

  it("are sealed with the key that signs: the newer of two, and not that of another app", async () => {
    const { url, catalog } = await startIngest()
    await createApp(catalog, { id: "acme", keys: ["sk_old", "sk_new"] })
    const key = () => createFileKey(encodeAppId("acme"))
    const send = async (sealing: string, signing: string) => {
      const grant = await labelled(labels, { appId: "acme", key: key() }, createSealer(sealing))
      return (await putRaw(await signUploadUrl(url, grant, createSigner(signing)), "hello")).status
    }
    expect(await send("sk_old", "sk_old")).toBe(200)
    expect(await send("sk_new", "sk_new")).toBe(200)
    expect(await send("sk_old", "sk_new")).toBe(403)
    expect(await send(apiKey, "sk_new")).toBe(403)
  })

  it("are another app's files to nobody: neither listed, counted, moved nor claimed", async () => {
    const { url, catalog } = await startIngest()
    await createApp(catalog, { id: "acme", keys: ["sk_acme"] })
    const grant = await labelled({ owner: "user-7", path: "a/b", claimWithin: 60_000 })
    await put(await sign(url, grant), "hello", 0, { "content-type": "text/plain" })
    const other = new SluiceApi({
      token: encodeToken({ apiKey: "sk_acme", appId: "acme", regions: ["local"] }),
      ingestUrl: url,
    })
    expect((await other.listFiles({ owner: "user-7" })).files).toEqual([])
    expect((await other.listFiles({ prefix: "a/" })).files).toEqual([])
    expect(await other.getUsageInfo({ owner: "user-7" })).toMatchObject({ filesUploaded: 0 })
    expect(await other.moveFiles({ key: grant.key, path: "x" })).toMatchObject({ movedCount: 0 })
    expect(await other.updateFiles(grant.key, { expiresIn: 1 })).toMatchObject({ updatedCount: 0 })
    await expect(other.claimFiles(grant.key)).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect((await catalog.get(grant.key))?.file).toMatchObject({
      path: "a/b",
      removeAt: null,
      claimBy: expect.any(Number),
    })
    // A claim of its own deletes nothing of another app.
    const own = createGrant({ appId: "acme", key: createFileKey(encodeAppId("acme")) })
    await putRaw(await signUploadUrl(url, own, createSigner("sk_acme")), "hello")
    expect(await other.claimFiles(own.key, { replaces: grant.key })).toMatchObject({ replacedCount: 0 })
    expect(await catalog.get(grant.key)).not.toBeNull()
  })

  it("stay unread where no app has registered the file, claimed or not", async () => {
    const { url } = await startIngest({ defaultAcl: "public-read" })
    const grant = await labelled({ claimWithin: 60_000 }, { slug: "avatar" })
    const waiting = putRaw(await sign(url, grant), "hello")
    const api = new SluiceApi({ token, ingestUrl: url })
    await eventually(async () => (await api.listFiles()).files.length === 1)
    expect(await api.claimFiles(grant.key)).toMatchObject({ claimedCount: 1 })
    expect((await fetch(`${url}/f/${grant.key}`)).status).toBe(404)
    await register(url, { fileKeys: [grant.key], awaitServerData: false })
    expect((await waiting).status).toBe(200)
    expect((await fetch(`${url}/f/${grant.key}`)).status).toBe(200)
  })
})
