import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { type Random, tryAll } from "../random.ts"
import { driveCatalog, failure } from "./drive-catalog.ts"

/** What an app's files take, and its quota; part of the suite of all catalogs. */
export const testCatalogUsage = (catalog: () => Catalog): void => {
  const { begin, commitWhole, commit, fail, register, expire, reclaimAll } = driveCatalog(catalog, {
    holdsClaims: true,
  })

  describe("usage", () => {
    it("is nothing for an app without files, and of each app its own", async () => {
      const none = { files: 0, storedBytes: 0, announcedBytes: 0 }
      expect(await catalog().usage("app")).toMatchObject(none)
      await begin("key", { size: 7 })
      await begin("other", { size: 9, appId: "other" })
      expect(await catalog().usage("app")).toMatchObject({ ...none, announcedBytes: 7 })
      await commit("key")
      expect(await catalog().usage("app")).toMatchObject({ files: 1, storedBytes: 7, announcedBytes: 0 })
      expect(await catalog().usage("other")).toMatchObject({ ...none, announcedBytes: 9 })
    })

    it("is what a recount of the files finds, after any transitions", async () => {
      const keys = ["a", "b", "c"]
      // A third of all begin an upload, a third go on with one, a third concern all of them.
      const kinds = [
        ["begin", "whole"],
        ["interrupt", "commit", "fail", "register", "delete"],
        ["expire", "drop", "reclaim", "prune"],
      ]
      const make = ({ pick, below }: Random) => ({
        kind: pick(pick(kinds)),
        key: pick(keys),
        size: below(4),
        expires: below(3),
      })
      await tryAll(60, { longest: 20, make }, async (transitions, round) => {
        const appId = `app-${round}`
        const own = (name: string) => `${appId}-${name}`
        for (const step of transitions) {
          const name = own(step.key)
          const epoch = (await catalog().get(name))?.file.epoch ?? 1
          const grant = { appId, size: step.size, expires: 10_000 + step.expires }
          if (step.kind === "begin") await begin(name, grant)
          else if (step.kind === "whole") await commitWhole(name, grant)
          else if (step.kind === "interrupt") await catalog().interrupt(name)
          else if (step.kind === "commit") await commit(name, epoch)
          else if (step.kind === "fail") await fail(name, epoch)
          else if (step.kind === "register") await register([name])
          else if (step.kind === "delete") await catalog().deleteFiles({ appId, files: [{ fileKey: name }], now: 1 })
          else if (step.kind === "expire") await expire({ expired: 10_002 })
          else if (step.kind === "drop") await expire({ unregistered: 99_000 })
          else if (step.kind === "reclaim") await reclaimAll()
          else await catalog().prune({ before: 99_000, limit: 100 })
        }
        const files = (await Promise.all(keys.map((each) => catalog().get(own(each))))).map((upload) => upload?.file)
        const sum = (status: string) =>
          files.reduce((bytes, file) => bytes + (file?.status === status ? file.size : 0), 0)
        expect(await catalog().usage(appId)).toMatchObject({
          files: files.filter((file) => file?.status === "Uploaded").length,
          storedBytes: sum("Uploaded"),
          announcedBytes: sum("Uploading"),
        })
      })
    })

    it("keeps a new file out that the quota has no room for, and changes nothing then", async () => {
      expect(await begin("a", { size: 6 }, 1000, 10)).toMatchObject({ kind: "granted" })
      const usage = { files: 0, storedBytes: 0, announcedBytes: 6 }
      expect(await begin("b", { size: 5 }, 1000, 10)).toMatchObject({ kind: "overQuota", usage })
      expect(await catalog().get("b")).toBeNull()
      expect(await begin("c", { size: 4 }, 1000, 10)).toMatchObject({ kind: "granted" })
      await commit("a")
      expect(await begin("d", { size: 1 }, 1000, 10)).toMatchObject({ kind: "overQuota" })
      await fail("c", 1)
      expect(await begin("d", { size: 4 }, 1000, 10)).toMatchObject({ kind: "granted" })
    })

    it("keeps a small file out that came whole as well", async () => {
      expect(await commitWhole("a", {}, 2000, 9)).toMatchObject({ kind: "committed" })
      expect(await catalog().usage("app")).toMatchObject({ files: 1, storedBytes: 5, announcedBytes: 0 })
      expect(await commitWhole("b", {}, 2000, 9)).toEqual({ kind: "refused" })
      expect(await begin("b", {}, 1000, 9)).toMatchObject({ kind: "overQuota" })
      expect(await catalog().get("b")).toBeNull()
      const both = await Promise.all([commitWhole("c", {}, 2000, 14), commitWhole("d", {}, 2000, 14)])
      // Which one was first is for a driver to decide.
      expect(both.map(({ kind }) => kind).toSorted()).toEqual(["committed", "refused"])
    })

    it("lets no two begins slip below the quota together", async () => {
      const begun = await Promise.all(Array.from("abcdefgh", (key) => begin(key, { size: 5 }, 1000, 15)))
      expect(begun.filter(({ kind }) => kind === "granted")).toHaveLength(3)
      expect(await catalog().usage("app")).toMatchObject({ announcedBytes: 15 })
    })

    it("lets go on what is under way, and give again what is there, also above a quota that shrank", async () => {
      await begin("going", { size: 6 })
      await begin("there", { size: 6 })
      await commit("there")
      await begin("failed")
      await fail("failed", 1)
      expect(await begin("going", { size: 6 }, 1000, 1)).toMatchObject({ kind: "granted", epoch: 2, isNew: false })
      expect(await begin("there", { size: 6 }, 1000, 1)).toMatchObject({ kind: "finished" })
      expect(await begin("there", { size: 7 }, 1000, 1)).toEqual({ kind: "taken" })
      expect(await begin("failed", {}, 1000, 1)).toEqual({ kind: "failed", failure })
      expect(await begin("failed", { expires: 99_000 }, 1000, 1)).toMatchObject({ kind: "overQuota" })
    })

    it("counts what a new upload replaces as free", async () => {
      await begin("key", { size: 6 })
      expect(await begin("key", { size: 11 }, 1000, 10)).toMatchObject({ kind: "overQuota" })
      expect((await catalog().get("key"))?.file).toMatchObject({ size: 6, status: "Uploading" })
      expect(await begin("key", { size: 10 }, 1000, 10)).toMatchObject({ kind: "granted", isNew: true })
      expect(await catalog().usage("app")).toMatchObject({ files: 0, storedBytes: 0, announcedBytes: 10 })
    })
  })
}
