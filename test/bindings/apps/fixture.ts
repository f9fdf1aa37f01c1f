import type { UploadError } from "../../../src/client.ts"
import { createSessions } from "../../../src/sessions.ts"
import type { UploadComponentProps, UploadSetupOptions } from "../../../src/ui.ts"
import type { router } from "./router.ts"

declare global {
  interface Window {
    /** What the callbacks were told, in their order. */
    told: Array<{ readonly name: string; readonly detail: unknown }>
  }
}

/** Which component a page shows, and with what: the same for every framework, taken from the page's address. */
export interface Fixture {
  readonly component: "button" | "dropzone" | "headless"
  readonly setup: UploadSetupOptions
  readonly props: UploadComponentProps<typeof router, "photos", never>
}

/**
 * Reads `?component=dropzone&endpoint=photos&mode=auto&paste&folder&sessions&disabled&look`.
 *
 * - `look`: a class from `className`, one from `appearance` joined by `cn`, an inline style and a text of `content`
 * - `rename`: `onBeforeUploadBegin` renames every file
 */
export const readFixture = (): Fixture => {
  const query = new URLSearchParams(location.search)
  window.told = []
  const tell = (name: string, detail: unknown) => window.told.push({ name, detail })
  const names = (files: ReadonlyArray<File>) => files.map((file) => file.name)
  const look = query.has("look")
  return {
    component: (query.get("component") ?? "dropzone") as Fixture["component"],
    setup: { retry: { delay: 10 }, ...(query.has("sessions") && { sessions: createSessions() }) },
    props: {
      endpoint: (query.get("endpoint") ?? "photos") as "photos",
      disabled: query.has("disabled"),
      config: {
        ...(query.has("mode") && { mode: query.get("mode") as "auto" | "manual" }),
        appendOnPaste: query.has("paste"),
        folder: query.has("folder"),
        ...(look && { cn: (...classes: Array<string>) => ["merged", ...classes].join(" ") }),
      },
      ...(look && {
        className: "mine",
        appearance: {
          container: "roomy",
          button: ({ isUploading }) => (isUploading ? "busy" : "calm"),
          allowedContent: { color: "rgb(1, 2, 3)" },
        },
        content: { label: (({ files }: { files: ReadonlyArray<unknown> }) => `Mine: ${files.length}`) as never },
      }),
      ...(query.has("rename") && {
        onBeforeUploadBegin: (files: Array<File>) =>
          files.map((file) => new File([file], `renamed-${file.name}`, { type: file.type })),
      }),
      onUploadBegin: ({ file }) => tell("begin", file.name),
      onUploadProgress: ({ file, progress }) => tell("progress", [file.name, progress]),
      onClientUploadComplete: (results) =>
        tell(
          "complete",
          results.map(({ name, fileHash, serverData }) => ({ name, fileHash, serverData })),
        ),
      onUploadError: (error: UploadError, files) => tell("error", [error.code, names(files)]),
      onUploadAborted: (files) => tell("aborted", names(files)),
      onChange: (files) => tell("change", names(files)),
    },
  }
}
