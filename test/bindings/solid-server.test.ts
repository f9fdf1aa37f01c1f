// @vitest-environment node
import { join } from "node:path"
import type { Accessor } from "solid-js"
import { generateHydrationScript, renderToString } from "solid-js/web"
import { describe, expect, expectTypeOf, it, test } from "vitest"
import {
  type ElementProps,
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUseUploader,
  type UploadItem,
} from "../../bindings/solid.ts"
import { extractRouteConfig } from "../../src/server.ts"
import { router } from "./apps/router.ts"
import { createPage } from "./apps/solid-hydration.ts"
import { bundlePage } from "./bundle-page.ts"
import type { Router } from "./typed-router.ts"
import { expectSeamless } from "./watch-hydration.ts"

/** The build that warns of what does not fit. */
const development = {
  name: "solid-development",
  setup: (build: import("esbuild").PluginBuild) => {
    const folder = join(import.meta.dirname, "../../node_modules/solid-js")
    build.onResolve({ filter: /^solid-js(\/\w+)?$/ }, ({ path }) => ({
      path: join(folder, path.slice("solid-js".length), "dist/dev.js"),
    }))
  },
}

describe("Solid components on a server", () => {
  it("say that they load where nobody has told them what the routes take", () => {
    const html = renderToString(createPage())
    expect(html).toContain("Loading…")
    expect(html).toContain('data-state="loading"')
  })

  it("are complete where the routes are seeded, and come to life without a change", async () => {
    const html = renderToString(createPage(extractRouteConfig(router)))
    expect(html).toMatch(/class="mine ?"/)
    expect(html).toContain("font-size:20px;--mine:1")

    const prelude = generateHydrationScript().replace(/^<script[^>]*>|<\/script>.*$/g, "")
    const script = await bundlePage("solid-hydration.ts", [development])
    await expectSeamless(html, `(0, eval)(${JSON.stringify(prelude)});${script}`)
  })
})

test("the router types endpoint, input and results", () => {
  const UploadAvatar = generateUploadAvatar<Router>()
  const UploadButton = generateUploadButton<Router>()
  const UploadDropzone = generateUploadDropzone<Router>()
  const useUploader = generateUseUploader<Router>()
  const check = () => {
    UploadButton({
      endpoint: "photos",
      onClientUploadComplete: ([result]) => expectTypeOf(result!.serverData.url).toBeString(),
    })
    UploadDropzone({ endpoint: "album", input: { id: 1 }, class: "a" })
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
    expectTypeOf(files).toEqualTypeOf<Accessor<ReadonlyArray<UploadItem<Router["album"]>>>>()
    expectTypeOf(progress()).toBeNumber()
    expectTypeOf(isUploading()).toBeBoolean()
    expectTypeOf(parts().target).toEqualTypeOf<ElementProps>()
    expectTypeOf(startUpload).parameter(1).toEqualTypeOf<{ id: number } | undefined>()
    // @ts-expect-error: no such route
    useUploader("videos")
  }
  expectTypeOf(check).toBeFunction()
})
