// @vitest-environment node
import type { PluginBuild } from "esbuild"
import type { ReactNode } from "react"
import { renderToString } from "react-dom/server"
import { describe, expect, expectTypeOf, it, test } from "vitest"
import {
  type ElementProps,
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUseUploader,
  type UploadItem,
  type UploadProps,
} from "../../bindings/react.ts"
import { extractRouteConfig } from "../../src/server.ts"
import { createPage } from "./apps/react-hydration.ts"
import { router } from "./apps/router.ts"
import { bundlePage } from "./bundle-page.ts"
import type { Router } from "./typed-router.ts"
import { expectSeamless } from "./watch-hydration.ts"

/** The build that warns of what does not fit. */
const development = {
  name: "react-development",
  setup: (build: PluginBuild) => {
    build.initialOptions.define = { "process.env.NODE_ENV": '"development"' }
  },
}

describe("React components on a server", () => {
  it("say that they load where nobody has told them what the routes take", () => {
    const html = renderToString(createPage())
    expect(html).toContain("Loading…")
    expect(html).toContain('data-state="loading"')
  })

  it("are complete where the routes are seeded, and come to life without a change", async () => {
    const html = renderToString(createPage(extractRouteConfig(router)))
    expect(html).toContain('class="mine"')
    expect(html).toContain("font-size:20px;--mine:1")

    await expectSeamless(html, await bundlePage("react-hydration.ts", [development]))
  })
})

test("the router types endpoint, input and results", () => {
  const UploadAvatar = generateUploadAvatar<Router>()
  const UploadButton = generateUploadButton<Router>()
  const UploadDropzone = generateUploadDropzone<Router>()
  const useUploader = generateUseUploader<Router>()
  const Check = () => {
    UploadButton({
      endpoint: "photos",
      onClientUploadComplete: ([result]) => expectTypeOf(result!.serverData.url).toBeString(),
      onUploadError: (error, files) => expectTypeOf([error.detail, files[0]!.name]).toEqualTypeOf<Array<string>>(),
    })
    UploadDropzone({ endpoint: "album", input: { id: 1 } })
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

    const { files, progress, parts, startUpload } = useUploader("album", { input: { id: 1 } })
    expectTypeOf(files).toEqualTypeOf<ReadonlyArray<UploadItem<Router["album"]>>>()
    expectTypeOf(progress).toBeNumber()
    expectTypeOf(parts.target).toEqualTypeOf<ElementProps>()
    expectTypeOf(parts.progress(files[0])).toEqualTypeOf<ElementProps>()
    expectTypeOf(startUpload).parameter(1).toEqualTypeOf<{ id: number } | undefined>()
    // @ts-expect-error: no such route
    useUploader("videos")
  }
  expectTypeOf(Check).toBeFunction()
  type Label = NonNullable<UploadProps<Router, "photos">["content"]>["label"]
  expectTypeOf<ReactNode>().toExtend<Label>()
})
