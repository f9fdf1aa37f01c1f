import { openAsBlob } from "node:fs"
import { File as NodeFile } from "node:buffer"
import { describe, expectTypeOf, test } from "vitest"
import {
  type DeletedFiles,
  type FilePage,
  type FileUploadResult,
  type ListedFile,
  SluiceApi,
  SluiceFile,
  type StoredFile,
  type UploadError,
  type UploadInput,
} from "../../src/api.ts"

const api = new SluiceApi()

// Only the compiler runs what is in here.
const compiled = (code: () => unknown) => void code

describe("types, checked by tsc", () => {
  test("one file in is one result, several are a list", () => {
    compiled(() => {
      const file = new File([], "x")
      const list: ReadonlyArray<UploadInput> = []
      const either: File | Array<File> = []
      expectTypeOf(api.uploadFiles(file)).toEqualTypeOf<Promise<FileUploadResult>>()
      expectTypeOf(api.uploadFiles({ path: "x" })).toEqualTypeOf<Promise<FileUploadResult>>()
      expectTypeOf(api.uploadFiles([file])).toEqualTypeOf<Promise<Array<FileUploadResult>>>()
      expectTypeOf(api.uploadFiles(list)).toEqualTypeOf<Promise<Array<FileUploadResult>>>()
      expectTypeOf(api.uploadFiles(new Set([file]))).toEqualTypeOf<Promise<Array<FileUploadResult>>>()
      expectTypeOf(api.uploadFiles(either as File | Array<File>)).toEqualTypeOf<
        Promise<FileUploadResult | Array<FileUploadResult>>
      >()
    })
  })

  test("a result is a file or an error, and one tells the other", () => {
    compiled(async () => {
      const { data, error } = await api.uploadFiles(new File([], "x"))
      expectTypeOf(data).toEqualTypeOf<StoredFile | null>()
      expectTypeOf(error).toEqualTypeOf<UploadError | null>()
      if (error === null) expectTypeOf(data).toEqualTypeOf<StoredFile>()
      else expectTypeOf(data).toEqualTypeOf<null>()
    })
  })

  test("everything that can be uploaded is taken", () => {
    compiled(async () => {
      const blob = await openAsBlob("x")
      return api.uploadFiles([
        new File([], "x"),
        new NodeFile([], "x"),
        new SluiceFile(["x", new Uint8Array(1), new ArrayBuffer(1), new Blob()], "x", {
          customId: "7",
          acl: "private",
        }),
        Object.assign(blob, { name: "x", customId: "7" }),
        { path: "x", customId: "7" },
        { path: new URL("file:///x"), name: "y", type: "text/plain" },
        { stream: () => new ReadableStream<Uint8Array>(), size: 5, name: "x", acl: "private" },
        { stream: async (start: number) => new Blob([String(start)]).stream(), size: 5, name: "x", customId: "7" },
      ])
    })
    compiled(() => {
      const files: FileList = undefined as never
      return api.uploadFiles(files)
    })
  })

  test("what cannot is refused", () => {
    // @ts-expect-error a Blob has no name
    compiled(() => api.uploadFiles(new Blob()))
    // @ts-expect-error nor has a stream a size
    compiled(() => api.uploadFiles(new ReadableStream()))
    // @ts-expect-error size is missing
    compiled(() => api.uploadFiles({ name: "x", stream: () => new ReadableStream() }))
    // @ts-expect-error a path is { path }
    compiled(() => api.uploadFiles("x.txt"))
    // @ts-expect-error no such acl
    compiled(() => api.uploadFiles(new File([], "x"), { acl: "public" }))
    // @ts-expect-error no such duration
    compiled(() => api.uploadFiles(new File([], "x"), { expiresIn: "soon" }))
    // @ts-expect-error neither key nor id
    compiled(() => api.renameFiles({ newName: "x" }))
    // @ts-expect-error no such kind of key
    compiled(() => api.deleteFiles("x", { keyType: "id" }))
  })

  test("a listing is a page, files, and pages", () => {
    compiled(async () => {
      expectTypeOf(await api.listFiles()).toEqualTypeOf<FilePage>()
      for await (const file of api.listFiles({ status: "Uploaded" })) expectTypeOf(file).toEqualTypeOf<ListedFile>()
      for await (const page of api.listFiles().pages()) expectTypeOf(page).toEqualTypeOf<FilePage>()
    })
  })

  test("calls give what they are for", () => {
    compiled(async () => {
      expectTypeOf(await api.deleteFiles("x")).toEqualTypeOf<DeletedFiles>()
      expectTypeOf(await api.deleteFiles(["x"] as const)).toEqualTypeOf<DeletedFiles>()
      expectTypeOf(await api.getSignedURL("x")).toEqualTypeOf<string>()
      expectTypeOf(await api.generateSignedURL("x", { expiresIn: "2 hours" })).toEqualTypeOf<string>()
      expectTypeOf(await api.generateSignedPrefixURL("v/", { expiresIn: "2 hours" })).toEqualTypeOf<string>()
      expectTypeOf((await api.getUsageInfo()).limitBytes).toEqualTypeOf<number | null>()
    })
  })
})
