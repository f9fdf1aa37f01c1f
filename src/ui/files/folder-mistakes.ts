import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** Why there is nothing to send of a dropped folder, or of something in it. */
export type FolderMistake = "emptyFolder" | "unreadableFolder" | "unreadableFile"

const mistakes = new WeakMap<File, FolderMistake | UploadError>()

/** Makes a placeholder for what cannot be sent, so that it is not ignored silently: an empty file, listed as failed. */
export const createFolderMistake = (name: string, mistake: FolderMistake): File => {
  const file = new File([], name)
  mistakes.set(file, mistake)
  return file
}

/** Marks a file to be listed as failed, whatever its route takes. */
export const refuseFile = (file: File, error: UploadError): void => void mistakes.set(file, error)

/** Reverts {@link refuseFile}. */
export const forgiveFile = (file: File): void => void mistakes.delete(file)

/** The error of a placeholder; undefined for a real file. */
export const findFolderMistake = (file: File, texts: UploadTexts): UploadError | undefined => {
  const mistake = mistakes.get(file)
  return typeof mistake === "string" ? new UploadError({ code: "BAD_REQUEST", message: texts[mistake]() }) : mistake
}
