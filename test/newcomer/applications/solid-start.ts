import { cp } from "node:fs/promises"
import { join } from "node:path"
import type { Application } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { toJsxPage } from "../pages.ts"
import { run } from "../shell.ts"

/** Where GitHub cannot be reached: a folder with a template of solidjs/templates, such as `solid-start-v2/basic`. */
const template = process.env["SOLID_START_TEMPLATE"]

export const solidStart: Application = {
  title: "SolidStart (create-solid, basic)",
  generate: async ({ root }) => {
    const app = join(root, "app")
    if (template === undefined) {
      await run("npx --yes create-solid@latest app --solidstart --template basic --ts", { cwd: root })
    } else {
      await cp(template, app, { recursive: true })
    }
    await run("npm install", { cwd: app })
  },
  // The toolbar of @solidjs/start 2.0.5 in development.
  ownComplaint: /@jridgewell\/resolve-uri/,
  toolbar: "[data-start-dev-toolbar]",
  folders: ["app"],
  edit: ({ root }, [advice]) =>
    writePage(
      advice!,
      join(root, "app"),
      { path: "src/routes/index.tsx", client: "~/lib/upload-client" },
      toJsxPage("Home"),
    ),
  develop: ({ root, appPort }) => [{ line: `npm run dev -- --port ${appPort} --strictPort`, cwd: join(root, "app") }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({ line: "npm start", cwd: join(root, "app"), env: { PORT: String(appPort) } }),
  // It has no compiler of types.
  checks: () => [],
}
