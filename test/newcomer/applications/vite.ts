import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Application, Command } from "../application.ts"
import { mountRoutes, type PageOfApp, writePage } from "../follow-init.ts"
import { toJsxPage, toSveltePage, toVuePage } from "../pages.ts"
import { run } from "../shell.ts"
import { beforeListening, writeExpress } from "./express.ts"

/** What is particular to a template of create-vite. */
interface Template {
  readonly title: string
  readonly page: PageOfApp
  readonly toPage: (imports: string, components: string) => string
  /** Its own checks, as command lines. */
  readonly checks: ReadonlyArray<string>
}

const templates = {
  "react-ts": {
    title: "Vite + React, and Express",
    page: { path: "src/App.tsx", client: "./upload-client" },
    toPage: toJsxPage("App"),
    checks: ["npm run lint", "npx tsc -b"],
  },
  "vue-ts": {
    title: "Vite + Vue, and Express",
    page: { path: "src/App.vue", client: "./upload-client" },
    toPage: toVuePage,
    checks: ["npx vue-tsc -b"],
  },
  "svelte-ts": {
    title: "Vite + Svelte, and Express",
    page: { path: "src/App.svelte", client: "./upload-client" },
    toPage: toSveltePage,
    checks: ["npm run check"],
  },
  "solid-ts": {
    title: "Vite + Solid, and Express",
    page: { path: "src/App.tsx", client: "./upload-client" },
    toPage: toJsxPage("App"),
    checks: ["npx tsc -b"],
  },
} satisfies Readonly<Record<string, Template>>

/** A page of Vite, and a server of Express that serves it in production. In development Vite hands `/api` on. */
export const defineVite = (name: keyof typeof templates): Application => {
  const { title, page, toPage, checks }: Template = templates[name]
  return {
    title,
    generate: async ({ root }) => {
      await run(`npx --yes create-vite@latest page --template ${name} --no-interactive --no-immediate`, { cwd: root })
      await run("npm install", { cwd: join(root, "page") })
      await writeExpress(join(root, "server"), `app.use(express.static("../page/dist"))`)
    },
    folders: ["server", "page"],
    edit: async ({ root, appPort }, [server, advice]) => {
      await mountRoutes(server!, join(root, "server"), beforeListening)
      await mountRoutes(advice!, join(root, "page"), beforeListening)
      await writePage(advice!, join(root, "page"), page, toPage)
      const config = join(root, "page/vite.config.ts")
      const text = (await readFile(config, "utf8")).replace(
        "plugins:",
        `server: { proxy: { "/api": "http://localhost:${appPort}" } },\n  plugins:`,
      )
      await writeFile(config, text)
    },
    develop: ({ root, appPort, pagePort }) => [
      { line: "npm run dev", cwd: join(root, "server"), env: { PORT: String(appPort) } },
      { line: `npm run dev -- --port ${pagePort} --strictPort`, cwd: join(root, "page") },
    ],
    build: ({ root }) => [{ line: "npm run build", cwd: join(root, "page") }],
    serve: ({ root, appPort }) => ({
      line: "npm start",
      cwd: join(root, "server"),
      env: { PORT: String(appPort), NODE_ENV: "production" },
    }),
    checks: ({ root }) => [
      ...checks.map((line): Command => ({ line, cwd: join(root, "page") })),
      { line: "npx tsc", cwd: join(root, "server") },
    ],
  }
}
