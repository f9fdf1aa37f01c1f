import { UploadError } from "../protocol/upload-error.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** Why a dropped folder, or something in it, gives nothing to send. */
export type FolderMistake = "emptyFolder" | "unreadableFolder" | "unreadableFile"

const mistakes = new WeakMap<File, FolderMistake | UploadError>()

/** Stands for what cannot be sent, so that it is not passed over in silence: a file without a byte, listed as failed. */
export const createFolderMistake = (name: string, mistake: FolderMistake): File => {
  const file = new File([], name)
  mistakes.set(file, mistake)
  return file
}

/** Lets a file be listed as failed, whatever its route takes. */
export const refuseFile = (file: File, error: UploadError): void => void mistakes.set(file, error)

/** Takes {@link refuseFile} back. */
export const forgiveFile = (file: File): void => void mistakes.delete(file)

/** The error of what stands for something else; undefined of a file. */
export const findFolderMistake = (file: File, texts: UploadTexts): UploadError | undefined => {
  const mistake = mistakes.get(file)
  return typeof mistake === "string" ? new UploadError({ code: "BAD_REQUEST", message: texts[mistake]() }) : mistake
}
