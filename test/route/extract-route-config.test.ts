import { describe, expect, expectTypeOf, test } from "vitest"
import * as onExpress from "../../adapters/express.ts"
import * as onHono from "../../adapters/hono.ts"
import * as onNext from "../../adapters/next.ts"
import * as onNode from "../../adapters/node.ts"
import * as onSvelteKit from "../../adapters/sveltekit.ts"
import { createSluice, extractRouteConfig, type RouteDescription, UploadError } from "../../src/server.ts"
import { appUrl, handlerOf } from "./call-app.ts"

const f = createSluice()
const router = {
  zebra: f({ image: { maxFileSize: 1_234_567, maxFileCount: 4, acl: "private" } }).onUploadComplete(() => 1),
  avatar: f(["pdf", "application/zip"]).onUploadComplete(() => 1),
}

describe("extractRouteConfig", () => {
  test("gives what GET answers", async () => {
    const answer = await (await handlerOf(router)(new Request(appUrl))).json()
    const config = extractRouteConfig(router)
    expect(config).toStrictEqual(answer)
    expect(JSON.parse(JSON.stringify(config))).toStrictEqual(answer)
    expect(config.map(({ slug }) => slug)).toEqual(["zebra", "avatar"])
    expectTypeOf(config).toEqualTypeOf<ReadonlyArray<RouteDescription<"zebra" | "avatar">>>()
  })

  test("gives a value of the caller's own: changing it changes no route", () => {
    const config = extractRouteConfig(router)
    Object.assign(config[0]!.config.image!, { maxFileCount: 99 })
    expect(extractRouteConfig(router)[0]!.config.image!.maxFileCount).toBe(4)
  })

  test.each([
    ["no router", undefined, /must be an object of file routes, not undefined/],
    ["an unfinished route", { avatar: f({ image: {} }) }, /Route "avatar" of the router is not finished/],
  ])("throws for %s", (_, broken, message) => {
    expect(() => extractRouteConfig(broken as never)).toThrow(message)
    expect(() => extractRouteConfig(broken as never)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }))
    expect(() => extractRouteConfig(broken as never)).toThrow(UploadError)
  })

  test("is at the door of every framework", () => {
    for (const door of [onExpress, onHono, onNext, onNode, onSvelteKit]) {
      expect(door.extractRouteConfig).toBe(extractRouteConfig)
    }
  })
})
