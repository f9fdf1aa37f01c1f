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

/** Writes a project of Next.js, and lets `sluice init` loose on it. */
const init = async (files: Readonly<Record<string, string>>, packages: Readonly<Record<string, string>> = {}) => {
  const manifest = JSON.stringify({
    dependencies: { next: "*", react: "*", ...packages },
    scripts: { dev: "next dev" },
  })
  await writeFiles(folder, { "package.json": manifest, "tsconfig.json": "{}", ...files })
  const { code, stdout, stderr } = await runCommand(["init", "--yes"], { cwd: folder })
  expect(code, stderr).toBe(0)
  return { stdout, read: (path: string) => readFile(join(folder, path), "utf8") }
}

const importInScript = `import "sluice/styles.css"\n`
const importInCss = `@import "sluice/styles.css" layer(components);`
const client = "lib/upload-client.ts"

describe("where sluice init imports the stylesheet", () => {
  it("is where the components are made", async () => {
    const { read } = await init({ "app/globals.css": "* { padding: 0 }\n" })
    expect(await read(client)).toContain(`"use client"\n${importInScript}import {`)
    expect(await read("app/globals.css")).toBe("* { padding: 0 }\n")
  })

  it("is the same with Tailwind 3, which writes no layers", async () => {
    const css = "@tailwind base;\n@tailwind components;\n@tailwind utilities;\n"
    const { read } = await init({ "app/globals.css": css }, { tailwindcss: "^3.4.0" })
    expect(await read(client)).toContain(importInScript)
    expect(await read("app/globals.css")).toBe(css)
  })

  it.each([
    ["app/globals.css", `@import "tailwindcss";`],
    ["src/app/globals.css", `@import 'tailwindcss';`],
    ["src/app.css", `@import url("tailwindcss");`],
    ["src/routes/layout.css", `@import "tailwindcss" prefix(tw) source("../src");`],
    [
      "app/assets/css/main.css",
      `@layer theme, base, components, utilities;\n@import "tailwindcss/theme.css" layer(theme);\n@import "tailwindcss/utilities.css" layer(utilities);`,
    ],
    ["src/styles/global.css", `/* @import "tailwindcss"; goes first */\n@import "tailwindcss";`],
  ])("is, with Tailwind 4 in %s, behind it and in the layer that its utilities win over", async (path, css) => {
    const rest = `\n@plugin "x";\n\nbody { color: red }\n`
    const { read, stdout } = await init({ [path]: `${css}${rest}` })
    expect(await read(path)).toBe(`${css}\n@import "sluice/styles.css" layer(components);${rest}`)
    const written = await read(
      path.startsWith("src/app/") ? `src/${client}` : path.startsWith("src/") ? `src/${client}` : client,
    )
    expect(written).not.toContain("styles.css")
    expect(stdout).toContain(`+ @import "sluice/styles.css" layer(components);`)
  })

  it("keeps line ends, and is not written twice", async () => {
    const { read } = await init({ "app/globals.css": `@import "tailwindcss";\r\nbody {}\r\n` })
    const after = `@import "tailwindcss";\r\n@import "sluice/styles.css" layer(components);\r\nbody {}\r\n`
    expect(await read("app/globals.css")).toBe(after)
    await runCommand(["init", "--yes"], { cwd: folder })
    expect(await read("app/globals.css")).toBe(after)
  })

  it("takes no import in a comment for one", async () => {
    const css = `/* @import "tailwindcss"; */\n`
    const { read } = await init({ "app/globals.css": css })
    expect(await read("app/globals.css")).toBe(css)
    expect(await read(client)).toContain(importInScript)
  })

  it.each([
    `/* @import "sluice/styles.css" goes here */\n@import "tailwindcss";\n`,
    `@import "tailwindcss";\n/* see sluice/styles.css */\n`,
    `@source "../**/*.ts";\n@import "tailwindcss"; /* sluice/styles.css */\n`,
  ])("writes the import where only a comment names the stylesheet: %j", async (css) => {
    const { read } = await init({ "app/globals.css": css })
    expect(await read("app/globals.css")).toBe(css.replace(`"tailwindcss";`, `"tailwindcss";\n${importInCss}`))
  })

  it.each([
    `@import 'sluice/styles.css' layer(components);`,
    `@import url(sluice/styles.css);`,
    `@import "../node_modules/sluice/dist/styles.css";`,
    `@source "../**";\n@import "sluice/styles.css";\n/* end */`,
  ])("takes %s for an import", async (line) => {
    const css = `@import "tailwindcss";\n${line}\n`
    const { read } = await init({ "app/globals.css": css })
    expect(await read("app/globals.css")).toBe(css)
  })

  // A build of Astro loses the styles of a script that a page and an island of its both import.
  it.each([
    [
      "src/layouts/Layout.astro",
      "---\nconst title = 1\n---\n<slot />\n",
      `---\n${importInScript}const title = 1\n---\n<slot />\n`,
    ],
    ["src/pages/index.astro", "<h1>Astro</h1>\n", `---\n${importInScript}---\n<h1>Astro</h1>\n`],
    ["src/pages/index.astro", "---\r\n---\r\n<h1 />\r\n", `---\r\nimport "sluice/styles.css"\r\n---\r\n<h1 />\r\n`],
    ["src/pages/index.astro", `---\nimport 'sluice/styles.css'\n---\n`, `---\nimport 'sluice/styles.css'\n---\n`],
  ])("is, with Astro, in %s", async (path, before, after) => {
    const { read, stdout } = await init({ "astro.config.mjs": "", [path]: before }, { astro: "*", next: undefined! })
    expect(await read(path)).toBe(after)
    expect(stdout.includes(`${path}\n@@`)).toBe(after !== before)
    expect(await read("src/lib/upload-client.ts")).not.toContain("styles.css")
  })
})
