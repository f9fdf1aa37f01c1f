import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { AppConfiguration, RunningApp } from "../../conformance/adapter.ts"
import { toAddresses, toEnvironment } from "./built-app.ts"
import { expectNoServerCode } from "./expect-no-server-code.ts"
import { findFreePort } from "./listen.ts"
import { runProgram, startProgram } from "./start-process.ts"
import { writeUploadPage } from "./upload-page.ts"

const vite = join(import.meta.dirname, "../../../node_modules/vite/bin/vite.js")

/**
 * Builds the app in the folder `name` and serves what came out with `serve-build.ts`.
 *
 * @param entry the built module that has the fetch handler
 */
export const startViteApp = async (
  name: string,
  entry: string,
  configuration: AppConfiguration,
): Promise<RunningApp> => {
  const cwd = join(import.meta.dirname, name)
  const folder = `dist/${randomUUID()}`
  await writeUploadPage(`${cwd}/public/upload.html`, "/nested/api/sluice")
  await runProgram([vite, "build"], { cwd, env: { DIST_FOLDER: folder } })
  expectNoServerCode(`${cwd}/${folder}/client`)
  const { origin, close } = await startProgram(
    [join(import.meta.dirname, "serve-build.ts"), `${folder}/server/${entry}`, `${folder}/client/upload.html`],
    {
      cwd,
      env: { ...toEnvironment(configuration), PORT: String(await findFreePort()) },
    },
  )
  return {
    ...toAddresses(origin),
    runs: "`vite build`, served by h3",
    parsers: [{ name: "middleware that reads a clone", url: `${origin}/nested/cloned/api/sluice`, callback: "works" }],
    close: async () => {
      await close()
      await rm(`${cwd}/${folder}`, { recursive: true, force: true })
    },
  }
}
