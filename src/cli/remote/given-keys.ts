import { isKeyOf, limits } from "../../protocol.ts"
import type { AppConnection } from "./app-connection.ts"
import { readLines } from "./read-lines.ts"

/** The keys that were given, each once, those of standard input in the place of "-". */
export async function* listKeys(given: ReadonlyArray<string>): AsyncGenerator<string, void> {
  const seen = new Set<string>()
  for (const key of given) {
    for await (const each of key === "-" ? readLines(process.stdin) : [key]) {
      if (seen.has(each)) continue
      seen.add(each)
      yield each
    }
  }
}

/** Whether a word can be the key of a file of the app: one that can be none would make the ingest refuse the others with it. */
export const canBeKey = (word: string, { encodedAppId }: Pick<AppConnection, "encodedAppId">): boolean =>
  /^[\w-]+$/.test(word) && word.length <= limits.fileKey && isKeyOf(word, encodedAppId)
