import { expect, test } from "vitest"
import { createSluice, UploadError } from "../../src/server.ts"
import { handlerOf, png, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

useMockIngest()
const { linesWith } = useConsoleLines()

const f = createSluice()

test("what only the server's people can mend is in the server's log, what the caller can is not", async () => {
  const failing = (code: "QUOTA_EXCEEDED" | "FORBIDDEN") =>
    handlerOf({
      a: f({ image: {} })
        .middleware(() => {
          throw new UploadError({ code, message: `about ${code}`, cause: new Error("the disk is full") })
        })
        .onUploadComplete(() => 1),
    })
  await refused(await failing("QUOTA_EXCEEDED")(uploadRequest("a", { files: [png] })), "QUOTA_EXCEEDED", 507)
  expect(linesWith("error", "about QUOTA_EXCEEDED", "the disk is full")).toHaveLength(1)
  await refused(await failing("FORBIDDEN")(uploadRequest("a", { files: [png] })), "FORBIDDEN", 403)
  expect(linesWith("error", "FORBIDDEN")).toHaveLength(0)
  const unconfigured = handlerOf({ a: f({ image: {} }).onUploadComplete(() => 1) }, { token: "junk" })
  await refused(await unconfigured(uploadRequest("a", { files: [png] })), "INVALID_TOKEN", 500)
  expect(linesWith("error", "INVALID_TOKEN")).toHaveLength(1)
})
