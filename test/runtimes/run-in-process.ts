import { join } from "node:path"
import { runProgram } from "../adapters/apps/start-process.ts"
import { bundleProgram } from "./bundle-program.ts"
import type { Run, SuiteName } from "./describe-runtime.ts"
import { createFolder } from "./runtimes.ts"

/** Hides what a runtime has of Node's crypto before Sluice looks for it. */
const webCryptoAlone = `{
  const original = globalThis.process?.getBuiltinModule
  if (original) process.getBuiltinModule = (id) => (id === "node:crypto" ? undefined : original(id))
}`

/** How the suites get into a process. */
export interface ProcessRuntime {
  /** A file of `programs`. */
  readonly program: "node" | "bun" | "deno"
  readonly runtime?: string
  readonly args?: ReadonlyArray<string>
  /** Whether Node's crypto is hidden. */
  readonly isWebCryptoAlone?: boolean
}

/** Runs suites as a program of a runtime, from one bundled file. */
export const runInProcess =
  ({ program, runtime, args = [], isWebCryptoAlone = false }: ProcessRuntime) =>
  async (names: ReadonlyArray<SuiteName>): Promise<Run> => {
    const { folder, remove } = await createFolder()
    try {
      const file = join(folder, "suites.mjs")
      const banner = isWebCryptoAlone ? webCryptoAlone : undefined
      await bundleProgram(`test/runtimes/programs/${program}.ts`, file, { banner })
      return await runProgram([...args, file, ...names], { cwd: folder, runtime, env: { DENO_NO_UPDATE_CHECK: "1" } })
    } finally {
      await remove()
    }
  }
