import { type TypedFileRouter, type UploadCallbacks, UploadError } from "../../src/ui.ts"
import type { UploadElementDetails } from "./upload-element.ts"

type Details = UploadElementDetails<TypedFileRouter[string]>

const dispatch = <Name extends keyof Details>(
  element: Element,
  name: Name,
  detail: Details[Name],
  cancelable = false,
): boolean => element.dispatchEvent(new CustomEvent(name, { detail, cancelable, bubbles: true, composed: true }))

/** Turns what a component tells into events of its element. */
export const toEvents = (element: Element): Required<UploadCallbacks<TypedFileRouter[string]>> => ({
  onBeforeUploadBegin: (files) => {
    let answer: Iterable<File> | PromiseLike<Iterable<File>> = files
    const respondWith = (given: typeof answer) => {
      answer = given
    }
    if (!dispatch(element, "before-upload", { files, respondWith }, true)) {
      throw new UploadError({ code: "ABORTED", message: "The page cancelled the upload." })
    }
    return Promise.resolve(answer)
  },
  onUploadBegin: ({ file }) => void dispatch(element, "upload-begin", { file }),
  onUploadProgress: (progress) => void dispatch(element, "upload-progress", progress),
  onClientUploadComplete: (results) => void dispatch(element, "upload-complete", { results }),
  onUploadError: (error, files) => void dispatch(element, "upload-error", { error, files }),
  onUploadAborted: (files) => void dispatch(element, "upload-aborted", { files }),
  onValueChange: (keys) => void dispatch(element, "value-change", { keys }),
  onChange: (files) => void dispatch(element, "change", { files }),
})
