import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readManifest } from "../../../src/cli/backup/manifest.ts"
import { makeFolder } from "../../make-folder.ts"

const whole = {
  format: 1,
  state: "complete",
  id: "0b5c2d0e-6a3f-4d3a-9a53-0f2f6a1d9c11",
  createdAt: 1_790_000_000_000,
  version: "0.1.0",
  catalog: "catalog-1790000000000.sqlite",
  token: "token-1790000000000",
  catalogHash: "0".repeat(64),
  tokenHash: "1".repeat(64),
  files: 2,
  bytes: 10,
  leftOut: [],
}

const read = async (manifest: object) => {
  const folder = await makeFolder()
  await writeFile(join(folder, "backup.json"), JSON.stringify(manifest))
  return readManifest(folder)
}

it("is read as it was written", async () => {
  expect(await read(whole)).toEqual(whole)
  expect(await read({ ...whole, token: null, tokenHash: null })).toMatchObject({ token: null })
})

it.each([
  { createdAt: 1e300 },
  { createdAt: "yesterday" },
  { createdAt: -1 },
  { catalog: "../catalog.sqlite" },
  { catalog: "backup.json" },
  { token: "backup.json" },
  { token: "../../token" },
  { id: "a\nb" },
  { id: "\u001b[2J" },
  { catalogHash: "" },
  { token: null },
  { tokenHash: null },
  { tokenHash: "secret" },
  { files: 1.5 },
  { bytes: null },
  { leftOut: {} },
  { leftOut: [1, null] },
  { leftOut: [{ key: "a", name: "b", reason: "fun" }] },
])("is none that is obeyed with %j", async (forged) => {
  await expect(read({ ...whole, ...forged })).rejects.toThrow(/backup\.json is no manifest/)
})
