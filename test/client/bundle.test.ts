import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { expect, test } from "vitest"

/** The client door as a page would load it. */
const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [new URL("../../src/client.ts", import.meta.url).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
  })
  return outputFiles[0]!.text
}

test("the client is at most 5 kB, min + gzip", async () => {
  const code = await bundle()
  const size = gzipSync(code, { level: 9 }).length
  console.log(`client: ${code.length} bytes minified, ${size} gzip`)
  expect(size).toBeLessThanOrEqual(5000)
})

test("nothing of the server is in it", async () => {
  const code = await bundle()
  for (const word of ["effect/", "Effect", "sqids", "hmac", "node:", "process.", "application/zip"]) {
    expect(code).not.toContain(word)
  }
})
