/** Exit codes of the `sluice` command. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** Something the person at the terminal has to change: printed as one line, without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure"
}

/** Whether it is the operating system's error of this code, `ENOENT` and the like. */
export const isSystemError = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === code

/** What the operating system said, without Node's `EACCES: …, open '…'` around it where we know better. */
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
    case "EROFS":
      return "the file system is read-only"
    case "ENOSPC":
      return "the disk is full"
    default:
      return message
  }
}
