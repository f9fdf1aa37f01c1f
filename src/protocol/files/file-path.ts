import { isLonger } from "../is-longer.ts"
import { limits } from "../limits.ts"

/**
 * What is wrong with the path of a file, worded as what was expected; undefined where nothing is. A valid path stays
 * below the folder it is placed in, on every system, because apps make folders of it.
 *
 * Shape:  `holiday/2024/a.jpg`, relative, `/` between segments, the file's name last.
 * Source: docs/protocol.md §5.
 */
export const findPathMistake = (path: string): string | undefined => {
  const segments = path.split("/")
  return /[\\\p{Cc}]/u.test(path) || !path.isWellFormed()
    ? "a path without backslashes, control characters or lone surrogates"
    : /^[a-z]:/i.test(path) || segments.some((segment) => segment === "" || segment === "." || segment === "..")
      ? 'a relative path of whole segments: no "/" at its ends, no drive, no "." or ".."'
      : segments.length > limits.pathSegments
        ? `a path of at most ${limits.pathSegments} segments`
        : isLonger(path, limits.filePath)
          ? `a path of at most ${limits.filePath} bytes`
          : undefined
}
