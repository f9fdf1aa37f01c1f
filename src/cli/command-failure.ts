import { lstatSync } from "node:fs"
import { dirname } from "node:path"

/** Exit codes of the `sluice` command. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** Something that the user has to change: printed as one line, without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure"
}

/** Whether it is the operating system's error with this code, `ENOENT` and the like. */
export const isSystemError = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === code

/** The operating system's message, without Node's `EACCES: …, open '…'` around it where it is known. */
export const describeSystemError = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "permission denied"
    case "ENOENT":
      return "it does not exist"
    case "EEXIST":
    case "ENOTDIR":
      return "a file of that name is in the way"
    case "EISDIR":
      return "it is a folder"
    case "ELOOP":
      return "its links lead in a circle"
    case "ENAMETOOLONG":
      return "the name is too long"
    case "EROFS":
      return "the file system is read-only"
    case "ENOSPC":
      return "the disk is full"
    default:
      // The text ends a sentence that the caller finishes.
      return message.replace(/\.$/, "")
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

/** Why a folder cannot be used, and what to do, as the end of a sentence that names the folder. */
const explainFolder = (path: string, error: unknown, option: string): string => {
  const { code, syscall, path: at = path } = error as NodeJS.ErrnoException
  const another = `Choose another folder${option === "" ? "" : ` with ${option}`}`
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `permission denied${at === path ? "" : ` for ${at}`}. ${another}, or give this user the right to write there.`
    case "ENOTDIR":
    case "EEXIST":
      return `${at === path ? "it" : at} ${isLink(at) ? "is a link that leads to no folder" : "is no folder"}. ${another}.`
    case "ENOENT":
      return `${syscall === "mkdir" ? `no folder can be made in ${dirname(at)}` : describeSystemError(error)}. ${another}.`
    default:
      return `${describeSystemError(error)}. ${another}.`
  }
}

/**
 * The failure for a given folder that cannot be used.
 *
 * @param what the folder's role for the user, `data folder`
 * @param option the option that gives another one, `--data`; empty where it is an argument
 */
export const toFolderFailure = (what: string, path: string, error: unknown, option = ""): CommandFailure =>
  new CommandFailure(`The ${what} ${path} cannot be used: ${explainFolder(path, error, option)}`)
