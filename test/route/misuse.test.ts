import { dirname, join } from "node:path"
import ts from "typescript"
import { beforeAll, describe, expect, test } from "vitest"

/** Every snippet is a file of its own beside this one; `f`, `createRouteHandler` and friends are imported for it. */
const prelude = `
import { createElement } from "react"
import { generateUploadButton } from "../../bindings/react.ts"
import { SluiceApi, SluiceFile } from "../../src/api.ts"
import { generateUploader } from "../../src/client.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { createRouteHandler, createSluice, defineAdapter, type FileDecision, type FileRouter, type RouteOptions, UploadError } from "../../src/server.ts"
import { z } from "zod"
const f = createSluice()
const route = f({ image: {} })
const done = route.onUploadComplete(() => 1)
const other = defineAdapter<[message: { web: Request }], { message: { session: string } }>({
  name: "other",
  request: ({ web }) => web,
  native: () => ({ message: { session: "" } }),
})
const router = { done }
export const usedToo = [createElement, generateUploadButton, SluiceApi, SluiceFile, generateUploader, createIngest, createMemoryBlobStore, createMemoryCatalog, router]
export type UsedToo = FileDecision | RouteOptions
export const used = [createRouteHandler, createSluice, defineAdapter, UploadError, z, f, route, done, other]
export type Used = FileRouter
`

const misplaced: Record<string, readonly [code: string, sentence: string]> = {
  "input twice": [`route.input(z.string()).input(z.string())`, "The route has an .input() already."],
  "input after middleware": [
    `route.middleware(() => ({})).input(z.string())`,
    "Call .input() before .middleware(), so that the middleware sees it.",
  ],
  "input after file": [`route.file(() => {}).input(z.string())`, "Call .input() first, before .middleware()."],
  "input after onUploadError": [
    `route.onUploadError(() => {}).input(z.string())`,
    "Call .input() first, before .middleware().",
  ],
  "middleware twice": [
    `route.middleware(() => 1).middleware(() => 2)`,
    "The route has a .middleware() already: do both things in one.",
  ],
  "middleware after file": [`route.file(() => {}).middleware(() => 1)`, "Call .middleware() before .file()."],
  "middleware after onUploadError": [
    `route.onUploadError(() => {}).middleware(() => 1)`,
    "Call .middleware() before .onUploadError().",
  ],
  "file twice": [`route.file(() => {}).file(() => {})`, "The route has a .file() already."],
  "file after onUploadError": [`route.onUploadError(() => {}).file(() => {})`, "Call .file() before .onUploadError()."],
  "onUploadError twice": [
    `route.onUploadError(() => {}).onUploadError(() => {})`,
    "The route has an .onUploadError() already.",
  ],
}

const unfinished: Record<string, readonly [code: string, sentence: string]> = Object.fromEntries(
  Object.entries({
    "a route with nothing but its files": `route`,
    "a route that ends with input": `route.input(z.string())`,
    "a route that ends with middleware": `route.middleware(() => 1)`,
    "a route that ends with file": `route.file(() => {})`,
    "a route that ends with onUploadError": `route.onUploadError(() => {})`,
  }).flatMap(([name, code]) => [
    [`${name}, in satisfies`, [`({ a: ${code} }) satisfies FileRouter`, "End the route with .onUploadComplete(…)."]],
    [
      `${name}, in createRouteHandler`,
      [`createRouteHandler({ router: { a: ${code} } })`, "End the route with .onUploadComplete(…)."],
    ],
  ]),
)

/** What must not compile, and a part of what the compiler says. */
const wrong: Record<string, readonly [code: string, part: string]> = {
  "a size that is none": [`f({ image: { maxFileSize: "4 megs" } })`, '"4 megs"'],
  "a size in unknown units": [`f({ image: { maxFileSize: "4MiB" } })`, '"4MiB"'],
  "an unknown kind of file": [`f({ picture: {} })`, "'picture' does not exist"],
  "an unknown kind in a list": [`f(["image", "picture"])`, '"picture"'],
  "an unknown limit": [`f({ image: { maxSize: "4MB" } })`, "'maxSize' does not exist"],
  "an unknown disposition": [`f({ image: { contentDisposition: "download" } })`, '"download"'],
  "an unknown acl": [`f({ image: { acl: "public" } })`, '"public"'],
  "an unknown cache rule": [`f({ image: { cache: "forever" } })`, '"forever"'],
  "an unknown option of the route": [`f({ image: {} }, { awaitData: true })`, "awaitData"],
  "an unknown option of the route beside a known one": [
    `f({ image: {} }, { presignedUrlTtl: 60, acl: "private" })`,
    "'acl' does not exist",
  ],
  "an unknown option of the route beside a function": [
    `f({ image: {} }, { fileKeySeed: ({ name }) => name, acl: "private" })`,
    "'acl' does not exist",
  ],
  "an unknown limit beside a known one": [
    `f({ image: { maxFileCount: 2, maxFileSise: "4MB" }, pdf: {} })`,
    "'maxFileSise' does not exist",
  ],
  "an unknown limit of a media type": [
    `f({ "application/zip": { maxFileCount: 2, ACL: "private" } })`,
    "'ACL' does not exist",
  ],
  "an ACL in place of a kind of file": [`f({ image: {}, acl: "private" })`, "'acl' does not exist"],
  "an unknown option of the builder": [
    `createSluice({ errorFormatter: () => null, acl: "private" })`,
    "'acl' does not exist",
  ],
  "a duration that is none": [`f({ image: {} }, { presignedUrlTtl: "soon" })`, '"soon"'],
  "a schema that is none": [`route.input({ parse: () => 1 })`, "StandardSchema"],
  "an unknown field from file": [`route.file(() => ({ nmae: "x" }))`, "nmae"],
  "an unknown field from file beside a known one": [
    `route.file(({ file }) => ({ name: file.name, access: "private" }))`,
    ".file() does not decide access.",
  ],
  "an unknown field from an async file": [
    `route.file(async ({ file }) => ({ name: file.name, access: "private" }))`,
    ".file() does not decide access.",
  ],
  "an unknown field from one end of file": [
    `route.file(({ file }) => {
       if (file.size > 9) return { name: "x", access: "private" }
       return undefined
     })`,
    ".file() does not decide access.",
  ],
  "an unknown field from one of several ends of file": [
    `const usual: FileDecision = { name: "x" }
     route.file(({ file }) => (file.size > 9 ? usual : { name: "x", access: "private" }))`,
    ".file() does not decide access.",
  ],
  "an unknown field from one of several ends of an async file": [
    `const usual: FileDecision = { name: "x" }
     route.file(async ({ file }) => {
       if (file.size > 9) return usual
       if (file.size > 5) return
       return { name: "x", access: "private" }
     })`,
    ".file() does not decide access.",
  ],
  "an unknown acl from file": [`route.file(() => ({ acl: "public" }))`, '"public"'],
  "a custom id that is a number": [`route.file(() => ({ customId: 7 }))`, "number"],
  "an unknown option of the handler": [`createRouteHandler({ router: {}, ingest: "x" })`, "'ingest' does not exist"],
  "an unknown option of the handler beside known ones": [
    `createRouteHandler({ router: { a: done }, callbackUrl: "https://app.example", acl: "private" })`,
    "'acl' does not exist",
  ],
  "an unknown option of a framework's handler": [
    `other.createRouteHandler({ router: {}, trustproxy: true })`,
    "'trustproxy' does not exist",
  ],
  "an unknown option of the server API": [
    `new SluiceApi({ defaultKeyType: "customId", defaultAcl: "private" })`,
    "'defaultAcl' does not exist",
  ],
  "an unknown option of an upload from the server": [
    `new SluiceApi().uploadFiles(new File([], "x"), { concurrency: 2, access: "private" })`,
    "'access' does not exist",
  ],
  "an unknown option of several uploads from the server": [
    `new SluiceApi().uploadFiles([new File([], "x")], { concurrency: 2, access: "private" })`,
    "'access' does not exist",
  ],
  "an unknown field of a file on the disk": [
    `new SluiceApi().uploadFiles({ path: "x", access: "private" })`,
    "'access' does not exist",
  ],
  "an unknown field of a SluiceFile": [
    `new SluiceFile([], "x", { customId: "x", access: "private" })`,
    "'access' does not exist",
  ],
  "an unknown field of a remote file": [
    `new SluiceApi().uploadFilesFromUrl({ url: "https://x.example", access: "private" })`,
    "'access' does not exist",
  ],
  "an unknown option of a signed URL": [
    `new SluiceApi().getSignedURL("x", { keyType: "customId", expires: 60 })`,
    "'expires' does not exist",
  ],
  "an unknown option of the ingest": [
    `createIngest({ token: "", store: createMemoryBlobStore(), catalog: createMemoryCatalog(), acl: "private" })`,
    "'acl' does not exist",
  ],
  "an unknown option of the client": [
    `generateUploader<typeof router>({ concurrency: 2, endpoint: "/x" })`,
    "'endpoint' does not exist",
  ],
  "an unknown option of an upload": [
    `generateUploader<typeof router>().uploadFiles("done", { files: [new File([], "x")], acl: "private" })`,
    "'acl' does not exist",
  ],
  "an unknown option of an upload that can be paused": [
    `generateUploader<typeof router>().createUpload("done", { files: [new File([], "x")], acl: "private" })`,
    "'acl' does not exist",
  ],
  "an unknown option of the components": [
    `generateUploadButton<typeof router>({ concurrency: 2, endpoint: "/x" })`,
    "'endpoint' does not exist",
  ],
  "an unknown prop of a component": [
    `createElement(generateUploadButton<typeof router>()<"done">, { endpoint: "done", acl: "private" })`,
    "acl",
  ],
  "an unknown log level": [`createRouteHandler({ router: {}, logLevel: "debug" })`, '"debug"'],
  "no router": [`createRouteHandler({})`, "router"],
  "an unknown code of an UploadError": [`new UploadError({ code: "NOPE", message: "" })`, '"NOPE"'],
  "input that the schema does not give": [
    `route.input(z.string()).middleware(({ input }) => input.folder)`,
    "'folder' does not exist",
  ],
  "metadata that the middleware does not return": [
    `route.middleware(() => ({ a: 1 })).onUploadComplete(({ metadata }) => metadata.b)`,
    "'b' does not exist",
  ],
  "a route of one framework in the handler of another": [
    `const o = other.createSluice()({ image: {} }).middleware(({ message }) => message.session).onUploadComplete(() => 1)
     createRouteHandler({ router: { o } })`,
    "'message' is missing",
  ],
  "a route of plain fetch in the handler of a framework": [
    `const a = route.middleware(({ req }) => req.url).onUploadComplete(() => 1)
     other.createRouteHandler({ router: { a } })`,
    "'req' is missing",
  ],
}

/** What must compile. */
const right: Record<string, string> = {
  "a whole chain": `({ a: route.input(z.string()).middleware(() => 1).file(() => {}).onUploadError(() => {}).onUploadComplete(() => 1) }) satisfies FileRouter`,
  "the shortest route": `createRouteHandler({ router: { a: done } })`,
  "sizes as text and as bytes": `f({ image: { maxFileSize: "4MB" }, pdf: { maxFileSize: "1.5GB" }, blob: { maxFileSize: 7 }, "application/zip": {} })`,
  "kinds alone": `f(["image", "application/zip"])`,
  "a framework's route in its own handler": `const a = other.createSluice()({ image: {} }).middleware(({ message }) => message.session).onUploadComplete(() => 1)
     other.createRouteHandler({ router: { a } })`,
  "every option of a route": `f({ image: { maxFileSize: 1, maxFileCount: 2, minFileCount: 1, acl: "private", cache: "immutable", contentDisposition: "inline" } }, { awaitServerData: false, presignedUrlTtl: "1 hour", fileKeySeed: ({ name }) => name })`,
  "options that are worked out": `const one: boolean = Math.random() > 0.5
     f({ image: {} }, { awaitServerData: one })
     f({ image: {} }, one ? { presignedUrlTtl: 60 } : {})
     const given: RouteOptions = { awaitServerData: one }
     f({ image: {} }, given)`,
  "all that file can decide": `route.file(({ file }) => ({ name: file.name, customId: "7", keySeed: "x", acl: "private", cache: "revalidate", contentDisposition: "attachment" }))`,
  "a file that decides now and then": `route.file(({ file }) => {
       if (file.size > 9) return { name: "x" }
       if (file.size > 5) return { customId: "x" }
       return
     })
     route.file(async ({ file }) => (file.size > 9 ? { acl: "private" } : undefined))
     const decide = (): FileDecision => ({ name: "x" })
     route.file(decide)`,
  "an async file and an async error handler": `route.file(async ({ file }) => ({ name: file.name })).onUploadError(async () => {})`,
}

const folder = import.meta.dirname
const root = join(folder, "../..")

/** The compiler's words for each snippet, all checked in one program. */
const check = (snippets: Record<string, string>): Map<string, string> => {
  const files = new Map(
    Object.entries(snippets).map(([name, code]) => [
      join(folder, `snippet ${name.replaceAll(/\W+/g, "-")}.ts`),
      { name, text: `${prelude}\n${code}\n` },
    ]),
  )
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, "tsconfig.json"),
    { noEmit: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => {},
    },
  )!
  const host = ts.createCompilerHost(config.options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.readFile = (path) => files.get(path)?.text ?? readFile(path)
  host.getSourceFile = (path, options) => {
    const file = files.get(path)
    return file ? ts.createSourceFile(path, file.text, options) : getSourceFile(path, options)
  }
  host.getCurrentDirectory = () => dirname(folder)
  const program = ts.createProgram([...files.keys()], config.options, host)
  return new Map(
    [...files].map(([path, { name }]) => [
      name,
      program
        .getSemanticDiagnostics(program.getSourceFile(path))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
        .join("\n"),
    ]),
  )
}

describe("the compiler", { timeout: 60_000 }, () => {
  let said: Map<string, string>
  const mistakes = { ...misplaced, ...unfinished, ...wrong }
  beforeAll(() => {
    said = check({ ...Object.fromEntries(Object.entries(mistakes).map(([name, [code]]) => [name, code])), ...right })
  })

  test.each(Object.entries(misplaced).map(([name, [, sentence]]) => [name, sentence]))(
    "says to %s: %s",
    (name, sentence) => {
      expect(said.get(name)).toContain(sentence)
    },
  )

  test.each(Object.entries(unfinished).map(([name, [, sentence]]) => [name, sentence]))(
    "says to %s: %s",
    (name, sentence) => {
      expect(said.get(name)).toContain(sentence)
    },
  )

  test.each(Object.entries(wrong).map(([name, [, part]]) => [name, part]))(
    "refuses %s, and names it (%s)",
    (name, part) => {
      expect(said.get(name)).toContain(part)
    },
  )

  test.each(Object.keys(right))("takes %s", (name) => {
    expect(said.get(name)).toBe("")
  })
})
