import { join } from "node:path"
import type { Application } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { run } from "../shell.ts"
import { toJson, writeFiles } from "../../write-files.ts"

/** The minimal template of create-nuxt, which fetches it from elsewhere than the npm registry. */
export const nuxt: Application = {
  title: "Nuxt (as create-nuxt makes it, minimal)",
  generate: async ({ root }) => {
    const cwd = join(root, "app")
    await writeFiles(cwd, {
      "package.json": toJson({
        name: "newcomer",
        type: "module",
        private: true,
        scripts: {
          build: "nuxt build",
          dev: "nuxt dev",
          generate: "nuxt generate",
          preview: "nuxt preview",
          postinstall: "nuxt prepare",
        },
      }),
      "nuxt.config.ts": `export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  devtools: { enabled: true },
})
`,
      "tsconfig.json": toJson({
        files: [],
        references: ["app", "server", "shared", "node"].map((part) => ({ path: `./.nuxt/tsconfig.${part}.json` })),
      }),
      "app/app.vue": `<template>
  <div>
    <NuxtRouteAnnouncer />
    <NuxtWelcome />
  </div>
</template>
`,
    })
    await run("npm install nuxt vue vue-router", { cwd })
    // What its own check of types asks for.
    await run("npm install --save-dev typescript@6 vue-tsc", { cwd })
  },
  folders: ["app"],
  edit: ({ root }, [advice]) =>
    writePage(
      advice!,
      join(root, "app"),
      { path: "app/app.vue", client: "~/lib/upload-client" },
      (imports, components) => `<script setup lang="ts">
${imports}</script>

<template>
  <div>
    <NuxtRouteAnnouncer />
    <main>
      ${components}
    </main>
  </div>
</template>
`,
    ),
  develop: ({ root, appPort }) => [{ line: `npm run dev -- --port ${appPort}`, cwd: join(root, "app") }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({
    line: "node .output/server/index.mjs",
    cwd: join(root, "app"),
    env: { PORT: String(appPort) },
  }),
  checks: ({ root }) => [{ line: "npx nuxt typecheck", cwd: join(root, "app") }],
}
