import { SluiceApi, SluiceFile } from "../../../src/api.ts"
import { createContent, encodedAppId, ingestUrl, sha256, token } from "./app.ts"
import { withIngest } from "./ingest.ts"
import { expectMatch, type Suite } from "./suite.ts"

const withApi = (test: (api: SluiceApi, fetch: typeof globalThis.fetch) => Promise<void>): Promise<void> =>
  withIngest(({ fetch }) => test(new SluiceApi({ token, ingestUrl, fetch, logLevel: "None" }), fetch))

export const serverApi: Suite = {
  "files of memory and streams are uploaded": () =>
    withApi(async (api, fetch) => {
      const content = createContent(2_000_000)
      const results = await api.uploadFiles([
        new File([content], "grün.bin"),
        new SluiceFile(["zwei"], "zwei.txt", { customId: "2" }),
      ])
      expectMatch(results, [
        { data: { name: "grün.bin", size: content.length, fileHash: await sha256(content) }, error: null },
        { data: { name: "zwei.txt", customId: "2" }, error: null },
      ])
      const read = await fetch(results[0]!.data!.url)
      expectMatch(await sha256(new Uint8Array(await read.arrayBuffer())), await sha256(content))
    }),

  "files are listed, renamed and deleted": () =>
    withApi(async (api) => {
      const results = await api.uploadFiles([new File(["a"], "a.txt"), new File(["b"], "b.txt")])
      const [a, b] = results.map(({ data }) => data!.key)
      const names: Array<string> = []
      for await (const { name } of api.listFiles({ limit: 1 })) names.push(name)
      expectMatch(names.toSorted(), ["a.txt", "b.txt"])
      expectMatch(await api.renameFiles({ fileKey: a!, newName: "ä.txt" }), { success: true, renamedCount: 1 })
      expectMatch(await api.deleteFiles(b!), { success: true, deletedCount: 1 })
      expectMatch(await api.listFiles({ status: "Uploaded" }), { files: [{ key: a, name: "ä.txt" }] })
      expectMatch(await api.getUsageInfo(), { totalBytes: 1, filesUploaded: 1 })
    }),

  "a signed URL reads a private file, here and by the ingest's hand": () =>
    withApi(async (api, fetch) => {
      const { data } = await api.uploadFiles(new File(["secret"], "s.txt"), { acl: "private" })
      expectMatch((await fetch(data!.url)).status, 403)
      expectMatch(await (await fetch(await api.generateSignedURL(data!.key))).text(), "secret")
      expectMatch(await (await fetch(await api.getSignedURL(data!.key))).text(), "secret")
    }),

  "what the ingest refuses is an UploadError": () =>
    withApi(async (api) => {
      const thrown: unknown = await api.getSignedURL(`${encodedAppId}nothing`).catch((error: unknown) => error)
      expectMatch(thrown, { name: "UploadError", code: "NOT_FOUND", status: 404 })
    }),
}
