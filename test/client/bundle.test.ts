import { expect, test } from "vitest"
import { bundle } from "../browser/bundle.ts"
import { gzipSize } from "../package/bundle-for-size.ts"

const report = (name: string, code: string): number => {
  const size = gzipSize(code)
  console.log(`${name}: ${code.length} bytes minified, ${size} gzip`)
  return size
}

test("generateUploader is at most 6.17 kB, min + gzip", async () => {
  const code = await bundle('export { generateUploader } from "./client.ts"', { isFirstOnly: true })
  expect(report("generateUploader", code)).toBeLessThanOrEqual(6170)
})

test("what not everybody needs is not much, and not in it", async () => {
  expect(
    report("all of client", await bundle('export * from "./client.ts"', { isFirstOnly: true })),
  ).toBeLessThanOrEqual(6570)
  expect(report("resume", await bundle('export * from "./resume.ts"', { isFirstOnly: true }))).toBeLessThanOrEqual(3860)
  const alone = await bundle('export { generateUploader } from "./client.ts"', { isFirstOnly: true })
  for (const word of ["indexedDB", "navigator.locks", "ReactNative", "register", "identifier", "Not allowed"]) {
    expect(alone).not.toContain(word)
  }
})

test("nothing of the server is in it", async () => {
  const code = await bundle('export * from "./client.ts"; export * from "./resume.ts"')
  for (const word of ["effect/", "Effect", "sqids", "hmac", "node:", "process.", "application/zip"]) {
    expect(code).not.toContain(word)
  }
})
