import { expect, it } from "vitest"
import { createFileKey, createSigner, encodeAppId, names, signUploadUrl } from "../../src/protocol.ts"
import { createGrant } from "../ingest/circle.ts"
import { acme, makeDataFolder, openCatalog, own, startIngestProcess } from "./two-apps.ts"

/** All of an answer that its sender can tell from another. */
const tell = async (response: Response): Promise<object> => {
  const headers = Object.fromEntries(response.headers)
  delete headers["date"]
  return { status: response.status, headers, body: await response.text() }
}

it("whether an app exists is told to nobody by the URLs it is asked with", async () => {
  const data = await makeDataFolder()
  const catalog = openCatalog(data)
  await catalog.createApp({
    id: "locked",
    name: null,
    defaultAcl: null,
    quota: null,
    callbackOrigins: null,
    createdAt: 1,
  })
  await catalog.close()
  const { url } = await startIngestProcess(data)
  const ids = [own.id, acme.id, "locked", "nobody"]

  const upload = async (appId: string, method: string, how: "forged" | "unsigned" | "garbled") => {
    const grant = createGrant({ appId, key: createFileKey(encodeAppId(appId)) })
    const signed = await signUploadUrl(url, grant, createSigner("sk_guessed"))
    const mark = signed.indexOf("&signature=")
    const asked = { forged: signed, unsigned: signed.slice(0, mark), garbled: `${signed.slice(0, mark)}&signature=x` }
    return tell(
      await fetch(asked[how], {
        method,
        headers: { origin: "https://page.example" },
        ...(method === "PUT" && { body: "hello" }),
      }),
    )
  }
  for (const method of ["PUT", "HEAD"]) {
    for (const how of ["forged", "unsigned", "garbled"] as const) {
      const answers = await Promise.all(ids.map((id) => upload(id, method, how)))
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size, `${method} ${how}`).toBe(1)
      expect(answers[0]).toMatchObject({ status: 403 })
    }
  }

  const read = async (id: string, suffix: string) => {
    const key = createFileKey(encodeAppId(id))
    return Promise.all(
      [`f/${key}`, `a/${id}/${key}`, `a/${id}/logo`].map(async (at) => tell(await fetch(`${url}/${at}${suffix}`))),
    )
  }
  for (const suffix of ["", `?expires=9999999999999&signature=hmac-sha256%3D${"0".repeat(64)}`]) {
    const answers = await Promise.all(ids.map((id) => read(id, suffix)))
    expect(new Set(answers.flat().map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]![0]).toMatchObject({ status: 404 })
  }

  const post = async (path: string, body: object) =>
    tell(
      await fetch(`${url}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: acme.apiKey },
        body: JSON.stringify(body),
      }),
    )
  const keys = [own.id, "locked", "nobody"].map((id) => createFileKey(encodeAppId(id)))
  for (const ask of [
    (key: string) => post(names.path.registrations, { files: [{ key }] }),
    (key: string) =>
      post(names.path.register, {
        fileKeys: [key],
        metadata: {},
        callbackUrl: "https://a.example/",
        callbackSlug: "a",
      }),
    (key: string) => post(names.path.callbackResult, { fileKey: key, callbackData: 1 }),
    (key: string) => post(`${names.path.api}/deleteFiles`, { fileKeys: [key] }),
    (key: string) => post(`${names.path.api}/requestFileAccess`, { fileKey: key }),
  ]) {
    const answers = await Promise.all(keys.map(ask))
    const texts = answers.map((answer, index) => JSON.stringify(answer).replaceAll(keys[index]!, "<key>"))
    expect(new Set(texts).size).toBe(1)
  }
}, 60_000)
