import * as v from "valibot"
import { createSluice, type FileRouter } from "../../src/server.ts"

const f = createSluice()

const router = {
  photos: f({ image: {} }).onUploadComplete(() => ({ url: "…" })),
  album: f({ image: {} })
    .input(v.object({ id: v.number() }))
    .onUploadComplete(() => null),
} satisfies FileRouter

/** What the types of components are tried with: a route that takes no input, and one that does. */
export type Router = typeof router
