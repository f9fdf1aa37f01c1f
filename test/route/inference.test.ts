import { type } from "arktype"
import * as Schema from "effect/Schema"
import * as v from "valibot"
import { describe, expectTypeOf, test } from "vitest"
import { z } from "zod"
import type { RouteErrorData, RouteInput, RouteServerData } from "../../src/protocol.ts"
import { createSluice, type FailedFile, type FileRouter, type StoredFile, type UploadError } from "../../src/server.ts"

const f = createSluice()
const image = f({ image: {} })

describe("the input's two sides, checked by tsc: what the client sends, what user code gets", () => {
  test("none", () => {
    const route = image
      .middleware(({ input }) => void expectTypeOf(input).toEqualTypeOf<undefined>())
      .onUploadComplete(() => 1)
    expectTypeOf<RouteInput<typeof route>>().toEqualTypeOf<undefined>()
  })

  test("zod", () => {
    const schema = z.object({
      at: z.string().transform((text) => new Date(text)),
      tags: z.array(z.string()).default([]),
    })
    const route = image
      .input(schema)
      .middleware(({ input }) => void expectTypeOf(input).toEqualTypeOf<{ at: Date; tags: Array<string> }>())
      .file(({ input }) => void expectTypeOf(input).toEqualTypeOf<{ at: Date; tags: Array<string> }>())
      .onUploadComplete(() => 1)
    expectTypeOf<RouteInput<typeof route>>().toEqualTypeOf<{ at: string; tags?: Array<string> | undefined }>()
  })

  test("valibot", () => {
    const schema = v.object({ count: v.pipe(v.string(), v.transform(Number)), note: v.optional(v.string()) })
    const route = image
      .input(schema)
      .middleware(({ input }) => void expectTypeOf(input).toEqualTypeOf<{ count: number; note?: string | undefined }>())
      .onUploadComplete(() => 1)
    expectTypeOf<RouteInput<typeof route>>().toEqualTypeOf<{ count: string; note?: string | undefined }>()
  })

  test("arktype", () => {
    const schema = type({ count: "string.numeric.parse", "note?": "string" })
    const route = image
      .input(schema)
      .middleware(({ input }) => void expectTypeOf(input).toEqualTypeOf<{ count: number; note?: string }>())
      .onUploadComplete(() => 1)
    expectTypeOf<RouteInput<typeof route>>().toEqualTypeOf<{ count: string; note?: string }>()
  })

  test("effect", () => {
    const schema = Schema.toStandardSchemaV1(Schema.Struct({ count: Schema.NumberFromString, name: Schema.String }))
    const route = image
      .input(schema)
      .middleware(
        ({ input }) => void expectTypeOf(input).toEqualTypeOf<{ readonly count: number; readonly name: string }>(),
      )
      .onUploadComplete(() => 1)
    expectTypeOf<RouteInput<typeof route>>().toEqualTypeOf<{ readonly count: string; readonly name: string }>()
  })
})

describe("metadata, checked by tsc", () => {
  test("is what the middleware returns; in the callbacks, after its trip through JSON", () => {
    image
      .middleware(async () => ({ userId: 7, at: new Date(), note: undefined as string | undefined, run: () => 1 }))
      .file(({ metadata }) => {
        expectTypeOf(metadata.at).toEqualTypeOf<Date>()
        expectTypeOf(metadata.userId).toEqualTypeOf<number>()
      })
      .onUploadError(({ metadata }) => void expectTypeOf(metadata.at).toEqualTypeOf<string>())
      .onUploadComplete(({ metadata }) => {
        expectTypeOf(metadata.userId).toEqualTypeOf<number>()
        expectTypeOf(metadata.at).toEqualTypeOf<string>()
        expectTypeOf(metadata.note).toEqualTypeOf<string | undefined>()
        expectTypeOf(metadata.run).toEqualTypeOf<undefined>()
      })
  })

  test("is the same without .file() and without .onUploadError()", () => {
    image
      .middleware(() => ({ at: new Date() }))
      .onUploadError(({ metadata }) => void expectTypeOf(metadata).toEqualTypeOf<{ at: string }>())
    image
      .middleware(() => ({ at: new Date() }))
      .onUploadComplete(({ metadata }) => void expectTypeOf(metadata).toEqualTypeOf<{ at: string }>())
  })

  test("is an empty object without a middleware, null where the middleware returns nothing", () => {
    image.onUploadComplete(({ metadata }) => void expectTypeOf(metadata).toEqualTypeOf<Record<never, never>>())
    image.middleware(() => {}).onUploadComplete(({ metadata }) => void expectTypeOf(metadata).toEqualTypeOf<null>())
    image
      .middleware(async () => {})
      .onUploadComplete(({ metadata }) => void expectTypeOf(metadata).toEqualTypeOf<null>())
  })
})

/** The server data of a route whose `onUploadComplete` returns this. */
const returning = <Result>(run: () => Result | Promise<Result>) => image.onUploadComplete(run)

describe("server data as the client gets it, checked by tsc", () => {
  test("plain JSON stays as it is", () => {
    const route = returning(() => ({ url: "x", size: 1, tags: ["a"], nothing: null, is: true }))
    expectTypeOf<RouteServerData<typeof route>>().toEqualTypeOf<{
      url: string
      size: number
      tags: Array<string>
      nothing: null
      is: boolean
    }>()
  })

  test("a date is a string, deep down and at the top", () => {
    const deep = returning(() => ({ list: [{ at: new Date() }] }))
    expectTypeOf<RouteServerData<typeof deep>>().toEqualTypeOf<{ list: Array<{ at: string }> }>()
    const top = returning(() => new Date())
    expectTypeOf<RouteServerData<typeof top>>().toEqualTypeOf<string>()
  })

  test("async or not makes no difference", () => {
    const route = image.onUploadComplete(async () => ({ id: 1 }))
    expectTypeOf<RouteServerData<typeof route>>().toEqualTypeOf<{ id: number }>()
  })

  test("what may be undefined may be missing; a function is gone", () => {
    const route = returning(() => ({
      a: 1 as number | undefined,
      b: () => 1,
      c: undefined as { at: Date } | undefined,
    }))
    type Data = RouteServerData<typeof route>
    expectTypeOf<Data["a"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Data["b"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Data["c"]>().toEqualTypeOf<{ at: string } | undefined>()
  })

  test("nothing is null", () => {
    const sync = image.onUploadComplete(() => {})
    const async = image.onUploadComplete(async () => {})
    const undefinedToo = image.onUploadComplete(() => undefined)
    expectTypeOf<RouteServerData<typeof sync>>().toEqualTypeOf<null>()
    expectTypeOf<RouteServerData<typeof async>>().toEqualTypeOf<null>()
    expectTypeOf<RouteServerData<typeof undefinedToo>>().toEqualTypeOf<null>()
  })

  test("either of several is either", () => {
    const route = returning((): { at: Date } | { error: string } => ({ error: "x" }))
    expectTypeOf<RouteServerData<typeof route>>().toEqualTypeOf<{ at: string } | { error: string }>()
  })

  test("is null where the route does not await it", () => {
    const route = f({ image: {} }, { awaitServerData: false }).onUploadComplete(() => ({ id: 1 }))
    expectTypeOf<RouteServerData<typeof route>>().toEqualTypeOf<null>()
    const awaited = f({ image: {} }, { awaitServerData: true }).onUploadComplete(() => ({ id: 1 }))
    expectTypeOf<RouteServerData<typeof awaited>>().toEqualTypeOf<{ id: number }>()
  })
})

describe("error data, checked by tsc", () => {
  test("is what the builder's error formatter returns, undefined without one", () => {
    const plain = image.onUploadComplete(() => 1)
    expectTypeOf<RouteErrorData<typeof plain>>().toEqualTypeOf<undefined>()
    const formatting = createSluice({
      errorFormatter: (error) => {
        expectTypeOf(error).toEqualTypeOf<UploadError>()
        return { code: error.code, fields: [] as Array<string> }
      },
    })
    const route = formatting({ image: {} }).onUploadComplete(() => 1)
    expectTypeOf<RouteErrorData<typeof route>["fields"]>().toEqualTypeOf<Array<string>>()
  })
})

describe("user code's arguments, checked by tsc", () => {
  test("are the request under both names, the stored file, the event", () => {
    image
      .middleware(({ req, request, files }) => {
        expectTypeOf(req).toEqualTypeOf<Request>()
        expectTypeOf(request).toEqualTypeOf<Request>()
        expectTypeOf(files[0]!.size).toEqualTypeOf<number>()
        return {}
      })
      .onUploadError(({ error, fileKey, file, delivery }) => {
        expectTypeOf(error).toEqualTypeOf<UploadError>()
        expectTypeOf(fileKey).toEqualTypeOf<string>()
        expectTypeOf(file).toEqualTypeOf<FailedFile | null>()
        expectTypeOf(delivery.attempt).toEqualTypeOf<number>()
      })
      .onUploadComplete(({ file, delivery, req }) => {
        expectTypeOf(file).toEqualTypeOf<StoredFile>()
        expectTypeOf(delivery.id).toEqualTypeOf<string>()
        expectTypeOf(req).toEqualTypeOf<Request>()
      })
  })

  test("a router keeps the types of each route", () => {
    const router = {
      a: image.onUploadComplete(() => "a"),
      b: image.input(z.number()).onUploadComplete(() => 2),
    } satisfies FileRouter
    expectTypeOf<RouteServerData<(typeof router)["a"]>>().toEqualTypeOf<string>()
    expectTypeOf<RouteInput<(typeof router)["b"]>>().toEqualTypeOf<number>()
  })
})
