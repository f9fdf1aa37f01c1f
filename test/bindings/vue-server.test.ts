// @vitest-environment node
import { join } from "node:path"
import { renderToString } from "vue/server-renderer"
import { type ComputedRef, h } from "vue"
import { describe, expect, expectTypeOf, it, test } from "vitest"
import {
  type ElementProps,
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUseUploader,
  type UploadItem,
  type UploadProps,
  type UploadSlots,
} from "../../bindings/vue.ts"
import { extractRouteConfig } from "../../src/server.ts"
import { router } from "./apps/router.ts"
import { createPage } from "./apps/vue-hydration.ts"
import { bundlePage } from "./bundle-page.ts"
import type { Router } from "./typed-router.ts"
import { expectSeamless } from "./watch-hydration.ts"

/** The build that warns of what does not fit. */
const development = {
  name: "vue-development",
  setup: (build: import("esbuild").PluginBuild) => {
    const path = join(import.meta.dirname, "../../node_modules/vue/dist/vue.esm-browser.js")
    build.onResolve({ filter: /^vue$/ }, () => ({ path }))
  },
}

describe("Vue components on a server", () => {
  it("say that they load where nobody has told them what the routes take", async () => {
    const html = await renderToString(createPage())
    expect(html).toContain("Loading…")
    expect(html).toContain('data-state="loading"')
  })

  it("are complete where the routes are seeded, and come to life without a change", async () => {
    const html = await renderToString(createPage(extractRouteConfig(router)))
    expect(html).toContain('class="mine wide"')
    expect(html).toMatch(/<input[^>]* hidden[^>]* multiple/)

    const script = await bundlePage("vue-hydration.ts", [development])
    await expectSeamless(html, script, (line) => line.includes("development build"))
  })
})

test("the router types endpoint, input, results and slots", () => {
  const UploadAvatar = generateUploadAvatar<Router>()
  const UploadButton = generateUploadButton<Router>()
  const UploadDropzone = generateUploadDropzone<Router>()
  const useUploader = generateUseUploader<Router>()
  const check = () => {
    UploadButton({
      endpoint: "photos",
      onClientUploadComplete: ([result]) => expectTypeOf(result!.serverData.url).toBeString(),
    })
    UploadDropzone({ endpoint: "album", input: { id: 1 }, class: ["a"], style: { color: "red" } })
    h(UploadButton<"album">, { endpoint: "album", input: { id: 1 } })
    UploadAvatar({ endpoint: "photos", config: { crop: { shape: "square", type: "image/png" } } })
    // @ts-expect-error: nothing that browsers make
    UploadAvatar({ endpoint: "photos", config: { crop: { type: "image/gif" } } })
    // @ts-expect-error: no such route
    UploadButton({ endpoint: "videos" })
    // @ts-expect-error: the route takes an input
    UploadDropzone({ endpoint: "album" })
    // @ts-expect-error: of another type
    UploadDropzone({ endpoint: "album", input: { id: "1" } })
    // @ts-expect-error: no such part
    UploadButton({ endpoint: "photos", content: { lable: "Mine" } })

    const { files, progress, isUploading, parts, startUpload } = useUploader("album", () => ({ input: { id: 1 } }))
    expectTypeOf(files).toEqualTypeOf<ComputedRef<ReadonlyArray<UploadItem<Router["album"]>>>>()
    expectTypeOf(progress.value).toBeNumber()
    expectTypeOf(isUploading.value).toBeBoolean()
    expectTypeOf(parts.value.target).toEqualTypeOf<ElementProps>()
    expectTypeOf(startUpload).parameter(1).toEqualTypeOf<{ id: number } | undefined>()
    // @ts-expect-error: no such route
    useUploader("videos")
  }
  expectTypeOf(check).toBeFunction()
  type Slots = UploadSlots<Router["photos"]>
  expectTypeOf<Parameters<NonNullable<Slots["fileName"]>>[0]["item"]>().toEqualTypeOf<UploadItem<Router["photos"]>>()
  expectTypeOf<Parameters<NonNullable<Slots["label"]>>[0]>().not.toHaveProperty("item")
  expectTypeOf<UploadProps<Router, "photos">["input"]>().toEqualTypeOf<undefined>()
})
