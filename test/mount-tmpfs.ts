import { execFileSync } from "node:child_process"
import { onTestFinished, type TestContext } from "vitest"
import { skipLacking } from "./skip-lacking.ts"

/** Mounts a file system of its own over a folder until the test ends; skips the test where this process may not. */
export const mountTmpfs = (context: Pick<TestContext, "skip">, folder: string, options: string): void => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" })
  } catch {
    skipLacking(context, "mounting a tmpfs needs root on Linux.")
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]))
}
