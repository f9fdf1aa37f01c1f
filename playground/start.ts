/*
 * npm start              the playground: a page, an app and an ingest
 * npm start -- next      the application of a framework: next, sveltekit, express or hono;
 *                        with --production built and served as it would be on a server
 * npm start -- file…     the same circle without a browser; exit code 0 only if every file came through
 *                        (a file that is called as a framework is: ./next)
 */
import { isFramework } from "./frameworks.ts"
import { runHeadless } from "./headless.ts"
import { runInteractive } from "./interactive.ts"

const [first, ...others] = process.argv.slice(2)

const run = async (): Promise<number> => {
  if (first === undefined) return runInteractive()
  if (!isFramework(first)) return runHeadless([first, ...others])
  const unknown = others.find((word) => word !== "--production")
  if (unknown !== undefined) throw new Error(`After ${first} only --production can stand, not ${unknown}.`)
  return runInteractive({ framework: first, isProduction: others.length > 0 })
}

try {
  process.exitCode = await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
