import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { writeFiles } from "../write-files.ts"
import { runCommand } from "./run-command.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-init-"))
})
afterEach(() => rm(folder, { recursive: true }))

/** Writes a project with a configuration, and lets `sluice init` loose on it. */
const init = async (path: string, config: string, packages: Readonly<Record<string, string>> = { nuxt: "*" }) => {
  const manifest = JSON.stringify({ dependencies: packages, scripts: { dev: "nuxt dev" } })
  await writeFiles(folder, { "package.json": manifest, "tsconfig.json": "{}", "app/app.vue": "", [path]: config })
  const { code, stdout, stderr } = await runCommand(["init", "--yes"], { cwd: folder })
  expect(code, stderr).toBe(0)
  return { stdout, config: await readFile(join(folder, path), "utf8") }
}

const line = `vite: { optimizeDeps: { exclude: ["sluice"] } },`
const advice = `Add to vite in nuxt.config.ts: optimizeDeps: { exclude: ["sluice"] }`

describe("what sluice init says to the optimizer of Vite in Nuxt and React Router, which find what pages import while they load", () => {
  it.each([
    [
      "as it is generated",
      `// https://nuxt.com\nexport default defineNuxtConfig({\n  compatibilityDate: '2025-07-15',\n  devtools: { enabled: true }\n})\n`,
      `// https://nuxt.com\nexport default defineNuxtConfig({\n  ${line}\n  compatibilityDate: '2025-07-15',\n  devtools: { enabled: true }\n})\n`,
    ],
    [
      "with tabs",
      `export default defineNuxtConfig({\n\tssr: true,\n})\n`,
      `export default defineNuxtConfig({\n\t${line}\n\tssr: true,\n})\n`,
    ],
    [
      "with nothing in it",
      `export default defineNuxtConfig({})\n`,
      `export default defineNuxtConfig({\n  ${line}\n})\n`,
    ],
    [
      "of Windows",
      `export default defineNuxtConfig({\r\n  ssr: true,\r\n})\r\n`,
      `export default defineNuxtConfig({\r\n  ${line}\r\n  ssr: true,\r\n})\r\n`,
    ],
  ])("is written into a configuration %s, and not twice", async (_, before, after) => {
    const { config, stdout } = await init("nuxt.config.ts", before)
    expect(config).toBe(after)
    expect(stdout).toContain(line)
    expect(stdout).not.toContain(advice)
    const again = await runCommand(["init", "--yes"], { cwd: folder })
    expect(again.stdout).not.toContain(line)
    expect(again.stdout).not.toContain(advice)
    expect(await readFile(join(folder, "nuxt.config.ts"), "utf8")).toBe(after)
  })

  it.each([
    ["speaks of Vite already", `export default defineNuxtConfig({\n  vite: { plugins: [] },\n})\n`],
    ["is of another kind", `export default { ssr: true }\n`],
  ])("is left to people where the configuration %s", async (_, before) => {
    const { config, stdout } = await init("nuxt.config.ts", before)
    expect(config).toBe(before)
    expect(stdout).toContain(advice)
  })

  it("is nothing where people have said it", async () => {
    const said = `export default defineNuxtConfig({\n  vite: { optimizeDeps: { exclude: ["other", 'sluice'] } },\n})\n`
    const { config, stdout } = await init("nuxt.config.ts", said)
    expect(config).toBe(said)
    expect(stdout).not.toContain(advice)
  })

  it("is written into vite.config.ts of React Router, and not twice", async () => {
    const packages = { "@react-router/dev": "*", react: "*" }
    const begin = `import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";

export default defineConfig({
`
    const rest = `  plugins: [reactRouter()],\n});\n`
    const { config, stdout } = await init("vite.config.ts", begin + rest, packages)
    expect(config).toBe(`${begin}  optimizeDeps: { exclude: ["sluice"] },\n${rest}`)
    expect(stdout).not.toContain("Add to vite.config.ts")
    const again = await init("vite.config.ts", config, packages)
    expect(again.config).toBe(config)
    expect(again.stdout).not.toContain("optimizeDeps")
  })

  it.each([
    ["is made by a function", `export default defineConfig(({ mode }) => ({ plugins: [reactRouter()] }))\n`],
    ["excludes others", `export default defineConfig({ optimizeDeps: { exclude: ["other"] } })\n`],
  ])("is left to people in React Router where the configuration %s", async (_, before) => {
    const { config, stdout } = await init("vite.config.ts", before, { "@react-router/dev": "*", react: "*" })
    expect(config).toBe(before)
    expect(stdout).toContain(`Add to vite.config.ts: optimizeDeps: { exclude: ["sluice"] }.`)
  })

  it("is nothing in frameworks that look through all pages first", async () => {
    const before = `export default {}\n`
    const { config, stdout } = await init("vite.config.ts", before, { "@sveltejs/kit": "*", svelte: "*" })
    expect(config).toBe(before)
    expect(stdout).not.toContain("optimizeDeps")
  })
})
