import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { migrations, versionedSchema } from "../../../../src/ingest/storage/postgres/schema.ts"
import { qualify, quoteName } from "../../../../src/ingest/storage/postgres/translate.ts"

/**
 * What each migration runs, as a hash. One that was released is never changed, also not by what it shares with later ones:
 * databases that were made with it have what it was then. Where a line of this fails, give the new version texts of its own.
 */
const released: ReadonlyArray<string> = ["400d0118df512259e226a51985356649e54efeb1c10278fbcaf4c71bec69819b"]

it("runs what released migrations have always run", () => {
  const hashes = migrations.slice(0, released.length).map(({ sql }, index) => {
    const text = sql(quoteName("sluice"), quoteName(versionedSchema("sluice", index + 1)))
    return createHash("sha256").update(qualify(text, "sluice")).digest("hex")
  })
  expect(hashes).toEqual(released)
})
