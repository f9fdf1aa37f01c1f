import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describeAdapter } from "../conformance/adapter.ts"
import { toAddresses, toEnvironment } from "./apps/built-app.ts"
import { expectNoServerCode } from "./apps/expect-no-server-code.ts"
import { findFreePort } from "./apps/listen.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { writeUploadPage } from "./apps/upload-page.ts"

const cwd = fileURLToPath(new URL("apps/react-router", import.meta.url))
const { resolve } = createRequire(import.meta.url)
const reactRouter = join(dirname(resolve("@react-router/dev/package.json")), "bin.cjs")
const serve = join(dirname(resolve("@react-router/serve/package.json")), "bin.cjs")

describeAdapter("React Router", async (configuration) => {
  const folder = `dist/${randomUUID()}`
  const port = String(await findFreePort())
  await writeUploadPage(`${cwd}/public/upload.html`, "/nested/api/sluice")
  await runProgram([reactRouter, "build"], { cwd, env: { DIST_FOLDER: folder } })
  expectNoServerCode(`${cwd}/${folder}/client`)
  const { origin, close } = await startProgram([serve, `${folder}/server/index.js`], {
    cwd,
    env: { ...toEnvironment(configuration), PORT: port },
  })
  return {
    ...toAddresses(origin),
    runs: "`react-router build`, `react-router-serve`",
    parsers: [{ name: "middleware that reads a clone", url: `${origin}/nested/cloned/api/sluice`, callback: "works" }],
    close: async () => {
      await close()
      await rm(`${cwd}/${folder}`, { recursive: true, force: true })
    },
  }
})
