import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { createContext, runInContext } from "node:vm"
import { build } from "esbuild"
import { beforeEach, describe, expect, it, vi } from "vitest"

/** What the page's side says in development, as a bundler makes it; undefined: none has told it what it makes. */
const bundle = async (mode: string | undefined, contents: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../../../src/ui") },
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    globalName: "sluice",
    // For browsers esbuild says something of its own.
    platform: "neutral",
    target: "es2022",
    ...(mode !== undefined && { define: { "process.env.NODE_ENV": JSON.stringify(mode) } }),
    logLevel: "error",
  })
  return outputFiles[0]!.text
}

const error = { code: "NETWORK_ERROR", cause: new TypeError("Failed to fetch"), detail: "" }

/** A page at an address, without `process`; `fetch` finds nobody. */
const openPage = (script: string, href = "http://localhost:3000/") => {
  const fetch = vi.fn<(url: URL) => Promise<unknown>>(async () => {
    throw new TypeError("Failed to fetch")
  })
  const say = vi.fn<(text: string) => void>()
  const { hostname, origin } = new URL(href)
  const context = createContext({ URL, fetch, console: { error: say }, location: { href, hostname, origin } })
  runInContext(script, context)
  const sluice = runInContext("sluice", context)
  return { fetch, say, tell: (address?: string | URL) => sluice.tellOperator(error, address) as void }
}

const tellOperator = `export { tellOperator } from "./diagnosis/tell-operator.ts"`

describe.each(["development", undefined])("what developers are told of no answer, built for %s", (mode) => {
  let script: string
  beforeEach(async () => {
    script = await bundle(mode, tellOperator)
  })

  it.each([
    "http://[",
    "https://",
    "http://a b/",
    "javascript:alert(1)",
    "data:application/json,[]",
    "file:///etc/passwd",
  ])("is nothing where the address is %s: nothing throws, nobody is asked", async (address) => {
    const { fetch, say, tell } = openPage(script)
    tell(address)
    await setImmediate()
    expect(fetch).not.toHaveBeenCalled()
    expect(say).not.toHaveBeenCalled()
  })

  it("is nothing where the page is one that addresses are not relative to", async () => {
    const { fetch, tell } = openPage(script, "about:srcdoc")
    tell()
    tell("blob:http://localhost:3000/0a9f")
    await setImmediate()
    expect(fetch).not.toHaveBeenCalled()
  })

  it("is who does not answer", async () => {
    const { say, tell } = openPage(script)
    tell("/uploads")
    await vi.waitFor(() => expect(say).toHaveBeenCalled())
    expect(say.mock.calls).toEqual([[expect.stringContaining("Nothing answers at http://localhost:3000/uploads.")]])
  })
})

/** Of which a page of production has nothing. */
const component = `export { tellOperator } from "./diagnosis/tell-operator.ts"\nexport { createUploadComponent } from "./markup/component.ts"`
const texts = ["Nothing answers at", "opaqueredirect", "The stylesheet of the components is not on this page"]

it.each([
  ["development", texts],
  ["production", []],
  ["test", []],
])("what is looked into is part of what bundlers make for %s: %s", async (mode, held) => {
  const script = await bundle(mode, component)
  expect(texts.filter((text) => script.includes(text))).toEqual(held)
})

describe("an error of what looks into it", () => {
  beforeEach(() => {
    vi.resetModules()
    vi.stubEnv("NODE_ENV", "development")
    return () => {
      vi.doUnmock("../../../src/ui/diagnosis/explain-in-development.ts")
      vi.doUnmock("../../../src/ui/markup/look-for-styles.ts")
      vi.unstubAllEnvs()
    }
  })
  const fail = () => {
    throw new Error("of its own")
  }

  it("is not taken for a page without bundler: tellDeveloper", async () => {
    const explainInDevelopment = vi.fn(fail)
    vi.doMock("../../../src/ui/diagnosis/explain-in-development.ts", () => ({ explainInDevelopment }))
    const { tellDeveloper } = await import("../../../src/ui/diagnosis/tell-operator.ts")
    expect(() => tellDeveloper(error as never, "/")).toThrow("of its own")
    expect(explainInDevelopment).toHaveBeenCalledTimes(1)
  })

  it("is not taken for a page without bundler: a component", async () => {
    const lookForStyles = vi.fn(fail)
    vi.doMock("../../../src/ui/markup/look-for-styles.ts", () => ({ lookForStyles }))
    const { createUploadComponent } = await import("../../../src/ui/markup/component.ts")
    const { createUploadSetup, uploadButton } = await import("../../../src/ui.ts")
    const root = Object.assign(new EventTarget(), { getElementById: () => null })
    vi.stubGlobal("document", root)
    vi.stubGlobal("addEventListener", () => {})
    vi.stubGlobal("fetch", async () => Response.json([]))
    const component = createUploadComponent(createUploadSetup(), uploadButton, { endpoint: "avatar" }, "id", () => root)
    expect(() => component.connect()).toThrow("of its own")
    expect(lookForStyles).toHaveBeenCalledTimes(1)
    vi.unstubAllGlobals()
  })
})
