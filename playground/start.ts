/*
 * npm start              the playground: a page, an app and an ingest
 * npm start -- file…     the same circle without a browser; exit code 0 only if every file came through
 */
import { runHeadless } from "./headless.ts"
import { runInteractive } from "./interactive.ts"

const files = process.argv.slice(2)

try {
  process.exitCode = files.length === 0 ? await runInteractive() : await runHeadless(files)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
