import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Application } from "../application.ts"
import { mountRoutes, writePage } from "../follow-init.ts"
import { run } from "../shell.ts"
import { toReactPage } from "../pages.ts"
import { beforeListening, writeExpress } from "./express.ts"

/** A page of Vite, and a server of Express that serves it in production. In development Vite hands `/api` on. */
export const viteReact: Application = {
  title: "Vite + React, and Express",
  generate: async ({ root }) => {
    await run("npx --yes create-vite@latest page --template react-ts --no-interactive --no-immediate", { cwd: root })
    await run("npm install", { cwd: join(root, "page") })
    await writeExpress(join(root, "server"), `app.use(express.static("../page/dist"))`)
  },
  folders: ["server", "page"],
  edit: async ({ root, appPort }, [server, page]) => {
    await mountRoutes(server!, join(root, "server"), beforeListening)
    await mountRoutes(page!, join(root, "page"), beforeListening)
    const usual = { path: "src/App.tsx", client: "./upload-client" }
    await writePage(page!, join(root, "page"), usual, toReactPage("App"))
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
    { line: "npm run lint", cwd: join(root, "page") },
    { line: "npx tsc -b", cwd: join(root, "page") },
    { line: "npx tsc", cwd: join(root, "server") },
  ],
}
