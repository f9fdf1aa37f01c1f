import { openAsBlob } from "node:fs"
import { File as NodeFile } from "node:buffer"
import { describe, expectTypeOf, test } from "vitest"
import {
  generateUploader,
  type DoneUpload,
  type TypedFileRoute,
  type UploadableFile,
  type UploadError,
  type UploadOutcome,
} from "../../src/client.ts"

type Router = {
  readonly avatar: TypedFileRoute<{ input: undefined; serverData: { userId: string }; errorData: unknown }>
  readonly report: TypedFileRoute<{
    input: { folder: string; tags?: Array<string> }
    serverData: null
    errorData: { fields: Record<string, string> }
  }>
  readonly note: TypedFileRoute<{ input: string | undefined; serverData: number; errorData: unknown }>
  readonly form: TypedFileRoute<{ input: { a: 1 } | { b: 2 }; serverData: { url: string } | null; errorData: unknown }>
}

const { uploadFiles, createUpload } = generateUploader<Router>()

// Only the compiler runs what is in here.
const compiled = (code: () => unknown) => void code

describe("types, checked by tsc", () => {
  test("slugs are those of the router", () => {
    expectTypeOf(uploadFiles).parameter(0).toEqualTypeOf<"avatar" | "report" | "note" | "form">()
    expectTypeOf(createUpload).parameter(0).toEqualTypeOf<"avatar" | "report" | "note" | "form">()
    // @ts-expect-error no such route
    compiled(() => uploadFiles("avatars", { files: [] }))
  })

  test("input is required where the route has one, and of its type", () => {
    const files: Array<File> = []
    compiled(() => uploadFiles("avatar", { files }))
    compiled(() => uploadFiles("note", { files }))
    compiled(() => uploadFiles("note", { files, input: "text" }))
    compiled(() => uploadFiles("report", { files, input: { folder: "a" } }))
    compiled(() => createUpload("report", { files, input: { folder: "a", tags: ["b"] } }))
    compiled(() => uploadFiles("form", { files, input: { b: 2 } }))
    // @ts-expect-error input is missing
    compiled(() => uploadFiles("report", { files }))
    // @ts-expect-error input is missing
    compiled(() => createUpload("form", { files }))
    // @ts-expect-error the folder is missing
    compiled(() => uploadFiles("report", { files, input: {} }))
    // @ts-expect-error of the wrong type
    compiled(() => uploadFiles("note", { files, input: 1 }))
    // @ts-expect-error this route takes none
    compiled(() => uploadFiles("avatar", { files, input: { folder: "a" } }))
    // @ts-expect-error files are missing
    compiled(() => uploadFiles("avatar", {}))
  })

  test("outcomes are told apart by their status, and hold the route's data", () => {
    compiled(async (files: Array<File> = []) => {
      const [outcome] = await uploadFiles("avatar", { files })
      if (outcome?.status === "done") {
        expectTypeOf(outcome.serverData).toEqualTypeOf<{ userId: string }>()
        expectTypeOf(outcome.url).toEqualTypeOf<string>()
        expectTypeOf(outcome.file).toEqualTypeOf<File>()
      } else if (outcome) {
        expectTypeOf(outcome.status).toEqualTypeOf<"failed" | "aborted" | "paused">()
        expectTypeOf(outcome.error).toExtend<UploadError>()
        // @ts-expect-error not before the status is known
        void outcome.serverData
      }
      const [report] = await uploadFiles("report", { files, input: { folder: "a" } })
      if (report?.status === "failed")
        expectTypeOf(report.error.data?.fields["name"]).toEqualTypeOf<string | undefined>()
      const [form] = await createUpload("form", { files, input: { a: 1 } }).done()
      if (form?.status === "done") expectTypeOf(form.serverData).toEqualTypeOf<{ url: string } | null>()
      expectTypeOf(createUpload("avatar", { files }).done(files[0]!)).resolves.toEqualTypeOf<
        UploadOutcome<Router["avatar"], File>
      >()
    })
  })

  test("throwOnFailure leaves only what is done", () => {
    const upload = (files: Array<File>) => uploadFiles("avatar", { files, throwOnFailure: true })
    expectTypeOf(upload).returns.resolves.toEqualTypeOf<Array<DoneUpload<Router["avatar"], File>>>()
    const either = (files: Array<File>, throwOnFailure: boolean) => uploadFiles("avatar", { files, throwOnFailure })
    expectTypeOf(either).returns.resolves.toEqualTypeOf<
      Array<UploadOutcome<Router["avatar"], File> | DoneUpload<Router["avatar"], File>>
    >()
  })

  test("the file's own type comes back in events and outcomes", () => {
    interface Picked extends UploadableFile {
      readonly id: number
    }
    compiled(async (files: Array<Picked> = []) => {
      const [outcome] = await uploadFiles("avatar", {
        files,
        onUploadBegin: ({ file }) => expectTypeOf(file.id).toEqualTypeOf<number>(),
        onUploadProgress: ({ file, progress }) => {
          expectTypeOf(file).toEqualTypeOf<Picked>()
          expectTypeOf(progress).toEqualTypeOf<number>()
        },
      })
      expectTypeOf(outcome!.file).toEqualTypeOf<Picked>()
    })
  })

  test("files of the browser and of Node fit, and lists of them", () => {
    compiled((list: FileList = {} as FileList) => uploadFiles("avatar", { files: list }))
    compiled(async () => uploadFiles("avatar", { files: [new File([await openAsBlob("a")], "a")] }))
    compiled(() => uploadFiles("avatar", { files: [new NodeFile(["a"], "a")] }))
    // @ts-expect-error a Blob has no name
    compiled(() => uploadFiles("avatar", { files: [new Blob()] }))
  })

  test("options take what the platform gives", () => {
    compiled(() => generateUploader<Router>({ fetch, url: new URL("https://a.example") }))
    compiled(() => generateUploader<Router>({ headers: { authorization: "a" } }))
    compiled(() => generateUploader<Router>({ headers: async () => new Headers() }))
    // @ts-expect-error not a file router
    compiled(() => generateUploader<{ avatar: { input: string } }>())
  })
})
