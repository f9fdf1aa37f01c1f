import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { readBlocks } from "./code-blocks.ts"

const root = join(import.meta.dirname, "..")

/**
 * Resolves the package as its users do, to its sources. These are many modules, which Vitest transforms one by one: they are
 * loaded before, as the built package is in a moment, and a busy machine takes longer than a test waits.
 */
const config = `import { defineConfig } from "vitest/config"
export default defineConfig({
  test: { setupFiles: ["./load-sources.ts"] },
  resolve: {
    alias: [
      { find: /^sluice\\/(react)$/, replacement: ${JSON.stringify(join(root, "bindings/$1.ts"))} },
      { find: /^sluice\\/client$/, replacement: ${JSON.stringify(join(root, "src/client.node.ts"))} },
      { find: /^sluice\\/(\\w+)$/, replacement: ${JSON.stringify(join(root, "src/$1.ts"))} },
    ],
  },
})
`

test.each(["testing-components", "testing-routes"])(
  "the tests that docs/%s.md shows pass, each of them",
  async (page) => {
    const markdown = await readFile(join(root, `docs/${page}.md`), "utf8")
    await mkdir(join(root, "node_modules/.cache"), { recursive: true })
    // Inside the repository, so that the packages are found.
    const folder = await mkdtemp(join(root, `node_modules/.cache/${page}-`))
    try {
      for (const { path, code } of readBlocks(markdown)) await writeFile(join(folder, path), code)
      await writeFile(join(folder, "vitest.config.ts"), config)
      await writeFile(
        join(folder, "load-sources.ts"),
        page === "testing-components" ? `await import(${JSON.stringify(join(root, "src/ui/engine.ts"))})\n` : "",
      )
      await writeFile(join(folder, "tsconfig.json"), `{ "compilerOptions": { "jsx": "react-jsx" } }`)
      const report = join(folder, "report.json")
      const vitest = join(root, "node_modules/vitest/vitest.mjs")
      const args = [vitest, "run", "--root", folder, "--reporter=json", `--outputFile=${report}`]
      const { VITEST: _, ...environment } = process.env
      const output = await promisify(execFile)(process.execPath, args, { cwd: folder, env: environment }).catch(
        (error: { readonly stdout: string; readonly stderr: string }) => error,
      )
      const text = await readFile(report, "utf8").catch(() => `${output.stdout}${output.stderr}`)
      const { testResults } = JSON.parse(text) as {
        testResults: Array<{
          message: string
          assertionResults: Array<{ title: string; failureMessages: Array<string> }>
        }>
      }
      const results = testResults.flatMap(({ assertionResults }) => assertionResults)
      expect(testResults.map(({ message }) => message)).toEqual([""])
      expect(results.flatMap(({ title, failureMessages }) => failureMessages.map((why) => `${title}: ${why}`))).toEqual(
        [],
      )
      const shown = [...markdown.matchAll(/^test\("([^"]+)"/gm)].map(([, title]) => title)
      expect(results.map(({ title }) => title)).toEqual(shown)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)
