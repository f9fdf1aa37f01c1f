import { join } from "node:path"
import { build } from "esbuild"
import { expect, test } from "vitest"
import { toElement } from "../../bindings/svelte/svelte-element.ts"
import { createRenderer } from "../../bindings/vue/render.ts"
import { describe, type Markup } from "../../src/ui/markup/markup.ts"

/** A row, and how often its children have been looked at. */
const createRow = (key: string, isKept: boolean) => {
  const row = {
    ...describe("li", key, {}, [describe("span", "name", {}, [key])]),
    ...(isKept && { isKept: true as const }),
  }
  const { children } = row
  let looks = 0
  const markup: Markup = Object.defineProperty(row, "children", {
    enumerable: true,
    get: () => (looks++, children),
  })
  return { markup, looks: () => looks }
}

/** A list as it is described at each rendering: a new object, of the same rows. */
const listOf = (...rows: ReadonlyArray<{ readonly markup: Markup }>) =>
  describe(
    "ul",
    "list",
    {},
    rows.map(({ markup }) => markup),
  )

const solid = async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { createTree } from "./bindings/solid/stores.ts"; export { createRoot, createSignal } from "solid-js"`,
      resolveDir: join(import.meta.dirname, "../.."),
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "error",
  })
  return (await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`
  )) as typeof import("solid-js") & typeof import("../../bindings/solid/stores.ts")
}

/** Renders lists one after the other. */
const renderers: Readonly<Record<string, () => Promise<(list: Markup) => unknown>>> = {
  vue: async () => createRenderer(),
  svelte: async () => toElement,
  solid: async () => {
    const { createRoot, createSignal, createTree } = await solid()
    const [list, setList] = createSignal<Markup>(describe("ul", "list", {}))
    const tree = createRoot(() => createTree(list))
    return (next) => (setList(next), JSON.stringify(tree))
  },
}

test.each(Object.keys(renderers))(
  "%s looks at a kept row once, and at others whenever they are rendered",
  async (name) => {
    const render = await renderers[name]!()
    const [kept, other] = [createRow("kept", true), createRow("other", false)]
    render(listOf(kept, other))
    const before = [kept.looks(), other.looks()]
    render(listOf(other, kept))
    render(listOf(kept, other))
    expect(kept.looks()).toBe(before[0])
    expect(other.looks()).toBeGreaterThan(before[1]!)
  },
)

test("solid shows each row as it is now: kept, then not, then kept again; and moved", async () => {
  const show = await renderers["solid"]!()
  const kept = { ...describe("li", "a", {}, ["kept"]), isKept: true } as const
  const [open, other] = [
    describe("li", "a", {}, ["open"]),
    { ...describe("li", "b", {}, ["b"]), isKept: true } as const,
  ]
  const rows = (...markup: ReadonlyArray<Markup>) => {
    const { children } = JSON.parse(show(describe("ul", "list", {}, markup)) as string) as Markup
    return children.map((row) => (row as Markup).children[0])
  }
  expect(rows(kept, other)).toEqual(["kept", "b"])
  expect(rows(open, other)).toEqual(["open", "b"])
  expect(rows(other, kept)).toEqual(["b", "kept"])
  expect(rows(kept)).toEqual(["kept"])
  expect(rows(other, kept)).toEqual(["b", "kept"])
  expect([kept.children, other.children]).toEqual([["kept"], ["b"]])
})
