import { expect, it } from "vitest"
import { createContent, createContents } from "../../src/ingest/content.ts"

const contentOf = async (text: string) => {
  const content = createContent("text/plain", 100)
  await content.update(new TextEncoder().encode(text))
  return content
}

it("a content is given back once, and only if it was read exactly as far as is stored", async () => {
  const contents = createContents()
  contents.keep("key", await contentOf("hello"))
  expect(contents.take("key", 4)).toBeUndefined()
  contents.keep("key", await contentOf("hello"))
  expect(contents.take("key", 5)?.length()).toBe(5)
  expect(contents.take("key", 5)).toBeUndefined()
})

it("no more contents are kept than there is room for, the latest ones", async () => {
  const contents = createContents(2)
  for (const key of ["a", "b", "c"]) contents.keep(key, await contentOf("x"))
  expect(contents.take("a", 1)).toBeUndefined()
  expect(contents.take("b", 1)).toBeDefined()
  expect(contents.take("c", 1)).toBeDefined()
})
