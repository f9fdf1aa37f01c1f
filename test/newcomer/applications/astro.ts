import { join } from "node:path"
import type { Application } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { run } from "../shell.ts"
import { toJson, writeFiles } from "../../write-files.ts"

const toPage = (imports: string, body: string) => `---
${imports}---

<html lang="en">
  <head>
    <meta charset="utf-8" />
    <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
    <meta name="viewport" content="width=device-width" />
    <meta name="generator" content={Astro.generator} />
    <title>Astro</title>
  </head>
  <body>
    ${body}
  </body>
</html>
`

/**
 * The minimal template of create-astro, which fetches it from elsewhere than the npm registry, with a server and React
 * as `astro add` puts them in.
 */
export const astro: Application = {
  title: "Astro (as create-astro makes it, minimal), with React",
  generate: async ({ root }) => {
    const cwd = join(root, "app")
    await writeFiles(cwd, {
      "package.json": toJson({
        name: "newcomer",
        type: "module",
        version: "0.0.1",
        scripts: { dev: "astro dev", build: "astro build", preview: "astro preview", astro: "astro" },
      }),
      "astro.config.mjs": `// @ts-check
import { defineConfig } from "astro/config"

export default defineConfig({})
`,
      "tsconfig.json": toJson({
        extends: "astro/tsconfigs/strict",
        include: [".astro/types.d.ts", "**/*"],
        exclude: ["dist"],
      }),
      "public/favicon.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>\n`,
      "src/pages/index.astro": toPage("", "<h1>Astro</h1>"),
    })
    await run("npm install astro", { cwd })
    await run("npx astro add node react --yes", { cwd })
    await run("npm install --save-dev typescript@6 @astrojs/check", { cwd })
  },
  folders: ["app"],
  edit: ({ root }, [advice]) =>
    writePage(
      advice!,
      join(root, "app"),
      { path: "src/pages/index.astro", client: "../lib/upload-client" },
      (imports, components) =>
        toPage(
          imports,
          `<main>
      ${components}
    </main>`,
        ),
    ),
  develop: ({ root, appPort }) => [{ line: `npm run dev -- --port ${appPort}`, cwd: join(root, "app") }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({
    line: "node dist/server/entry.mjs",
    cwd: join(root, "app"),
    env: { HOST: "127.0.0.1", PORT: String(appPort) },
  }),
  checks: ({ root }) => [{ line: "npx astro check", cwd: join(root, "app") }],
}
