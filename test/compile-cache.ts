import { resolve } from "node:path"

/**
 * For the environment of a Node process that runs this repository's sources: Node keeps what it has made of them, so that
 * the next process starts in half the time. Node compares the sources itself, and reads nothing that is out of date.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, "../node_modules/.cache/compile"),
} as const
