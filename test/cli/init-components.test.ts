import { expect, test } from "vitest"
import { toClient, toJavaScript, toPageClient } from "../../src/cli/init/templates.ts"

const bindings = {
  react: () => import("../../bindings/react.ts"),
  vue: () => import("../../bindings/vue.ts"),
  solid: () => import("../../bindings/solid.ts"),
} as const

const libraries = Object.keys(bindings) as Array<keyof typeof bindings>

test.each(libraries)("what is written for a page of %s exports all that the binding makes", async (library) => {
  const makers = Object.keys(await bindings[library]()).filter((name) => /^(?:generate|createUploads$)/.test(name))
  expect(makers).toContain("generateUploadAvatar")
  for (const { text } of [
    toClient("upload.ts", library, "./router"),
    toPageClient("upload.ts", library, "https://api.test/sluice"),
  ]) {
    const made = [...text.matchAll(/^export const (\w+) = \/\* @__PURE__ \*\/ (\w+)</gm)].map(([, , maker]) => maker)
    expect(new Set([...made, "generateUploadTray"])).toEqual(new Set(makers))
    expect(text).toContain("export const UploadTray = /* @__PURE__ */ generateUploadTray(uploads)")
  }
})

test("that for Svelte, whose binding only its compiler reads, is the same", () => {
  const { text } = toClient("upload.ts", "svelte", "./router")
  expect(text.replace("sluice/svelte", "sluice/react")).toBe(toClient("upload.ts", "react", "./router").text)
})

test("it is JavaScript where the project is", () => {
  const { text } = toJavaScript(toClient("upload.ts", "react", "./router"))
  expect(text).not.toMatch(/<|import type/)
  expect(text).toContain("export const uploads = /* @__PURE__ */ createUploads()")
})
