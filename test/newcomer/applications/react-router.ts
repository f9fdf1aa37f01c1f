import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Application } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { toJsxPage } from "../pages.ts"
import { run } from "../shell.ts"

/** Where GitHub cannot be reached: a folder with the template `default` of remix-run/react-router-templates. */
const template = process.env["REACT_ROUTER_TEMPLATE"]

export const reactRouter: Application = {
  title: "React Router (create-react-router)",
  // Where there is no network.
  ownComplaint: /fonts\.googleapis\.com/,
  generate: async ({ root }) => {
    const from = template === undefined ? "" : ` --template ${template}`
    await run(`npx --yes create-react-router@latest app${from} --yes --install --no-git-init`, { cwd: root })
  },
  folders: ["app"],
  edit: async ({ root }, [advice]) => {
    const app = join(root, "app")
    await writePage(advice!, app, { path: "app/routes/home.tsx", client: "../upload-client" }, toJsxPage("Home"))
    // As docs/frameworks/react-router.md has it, which `init` names.
    const routes = join(app, "app/routes.ts")
    const text = (await readFile(routes, "utf8"))
      .replace(/\bindex\b(?= \})/, "index, route")
      .replace("[", `[route("api/sluice", "routes/api.sluice.ts"), `)
    await writeFile(routes, text)
  },
  develop: ({ root, appPort }) => [{ line: `npm run dev -- --port ${appPort} --strictPort`, cwd: join(root, "app") }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({ line: "npm start", cwd: join(root, "app"), env: { PORT: String(appPort) } }),
  checks: ({ root }) => [{ line: "npm run typecheck", cwd: join(root, "app") }],
}
