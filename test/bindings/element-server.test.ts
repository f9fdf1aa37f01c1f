import { expect, expectTypeOf, test } from "vitest"
import {
  defineElements,
  generateUploadButton,
  generateUploadDropzone,
  type UploadElement,
} from "../../bindings/element.ts"
import type { router } from "./apps/router.ts"

test("on a server the import does nothing, and nothing throws", () => {
  expect("HTMLElement" in globalThis).toBe(false)
  expect(() => defineElements({ prefix: "app", url: "/uploads" })).not.toThrow()
  expect(() => [generateUploadButton<typeof router>(), generateUploadDropzone<typeof router>()]).not.toThrow()
})

test("elements are known by their names, their routes by the router", () => {
  expectTypeOf<HTMLElementTagNameMap["sluice-dropzone"]>().toEqualTypeOf<UploadElement>()
  expectTypeOf<HTMLElementTagNameMap["sluice-avatar"]>().toEqualTypeOf<UploadElement>()
  expectTypeOf<HTMLElementTagNameMap["sluice-button"]["endpoint"]>().toEqualTypeOf<string>()

  const use = (element: UploadElement<typeof router, "photos">) => {
    element.endpoint = "photos"
    // @ts-expect-error: another route
    element.endpoint = "avatar"
    // @ts-expect-error: no route
    element.endpoint = "fotos"
    // @ts-expect-error: the route takes none
    element.input = { album: 1 }
    element.addEventListener("upload-complete", ({ detail }) => {
      expectTypeOf(detail.results[0]!.serverData).toEqualTypeOf<{ stored: string }>()
    })
    element.addEventListener("upload-progress", ({ detail }) =>
      expectTypeOf(detail.totalProgress).toEqualTypeOf<number>(),
    )
    element.addEventListener("change", ({ detail }) => expectTypeOf(detail.files).toEqualTypeOf<ReadonlyArray<File>>())
    element.addEventListener("click", (event) => expectTypeOf(event).toEqualTypeOf<PointerEvent>())
    expectTypeOf(element.files[0]!.result!.serverData).toEqualTypeOf<{ stored: string }>()
    void element.startUpload().then(([outcome]) => {
      if (outcome?.status === "done") expectTypeOf(outcome.serverData).toEqualTypeOf<{ stored: string }>()
    })
    const Dropzone = generateUploadDropzone<typeof router>()
    expectTypeOf(new Dropzone<"photos">()).toEqualTypeOf<UploadElement<typeof router, "photos">>()
  }
  expectTypeOf(use).toBeFunction()
})
