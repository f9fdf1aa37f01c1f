import { beforeEach, expect, test, vi } from "vitest"
import type { Markup, UploadComponentOptions } from "../../src/ui.ts"
import { parseConfig } from "./parse-config.ts"

const png = (name: string) => new File([new Uint8Array(1000)], name, { type: "image/png" })

const read = (markup: Markup): string =>
  markup.children.map((child) => (typeof child === "string" ? child : "slot" in child ? "" : read(child))).join(" ")

const fail = () => {
  vi.resetModules()
  vi.doMock("../../src/ui/engine.ts", () => Promise.reject(new TypeError("Failed to fetch")))
}
beforeEach(fail)

test.each(["uploadButton", "uploadDropzone"] as const)(
  "%s: files are listed with what went wrong where the code cannot be had, can be removed, and are taken up when it can",
  async (name) => {
    const { createUploadComponent, createUploadSetup, seedRouteConfig, ...kinds } = await import("../../src/ui.ts")
    const url = "http://missing.test/api/sluice"
    seedRouteConfig([{ slug: "photos", config: parseConfig({ image: { maxFileSize: "4MB", maxFileCount: 3 } }) }], url)
    const told: Array<string> = []
    const options: UploadComponentOptions<any, string> = {
      endpoint: "photos",
      config: { mode: "manual" },
      onUploadError: (error, files) => told.push(`${error.code} ${files.map((file) => file.name).join()}`),
    }
    const component = createUploadComponent(createUploadSetup({ url }), kinds[name], options, "id")
    const names = () => component.getState().files.map((file) => file.name)

    component.addFiles([png("a.png"), png("b.png")])
    await vi.waitFor(() => expect(component.getState().status).toBe("failed"))
    expect(read(component.render())).toContain(
      "A part of this page could not be loaded. Try again, or reload the page.",
    )
    expect(component.getState().summary).toMatchObject({ failed: 2, canRetry: 2 })
    component.removeFile(component.getState().files[0]!.id)
    expect(names()).toEqual(["b.png"])
    const [outcome] = await component.startUpload([png("c.png")])
    expect(outcome).toMatchObject({ status: "failed", error: { code: "NETWORK_ERROR" } })
    expect(names()).toEqual(["b.png", "c.png"])
    expect(told).toEqual(["NETWORK_ERROR a.png,b.png", "NETWORK_ERROR c.png"])

    vi.doUnmock("../../src/ui/engine.ts")
    component.resumeUpload()
    await vi.waitFor(() => expect(component.getState().status).toBe("picked"))
    expect(names()).toEqual(["b.png", "c.png"])
    expect(component.getState().files.every(({ error }) => error === undefined)).toBe(true)
  },
)
