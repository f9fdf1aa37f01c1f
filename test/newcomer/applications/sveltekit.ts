import { join } from "node:path"
import type { Application } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { toSveltePage } from "../pages.ts"
import { run } from "../shell.ts"

export const sveltekit: Application = {
  title: "SvelteKit (sv create, minimal, with adapter-node)",
  generate: async ({ root }) => {
    // Who serves it with Node says so: the adapter of the template knows hosts only.
    const adapter = "--add sveltekit-adapter=adapter:node"
    await run(`npx --yes sv@latest create app --template minimal --types ts ${adapter} --install npm`, { cwd: root })
  },
  folders: ["app"],
  edit: ({ root }, [advice]) =>
    writePage(
      advice!,
      join(root, "app"),
      { path: "src/routes/+page.svelte", client: "../lib/upload-client" },
      toSveltePage,
    ),
  develop: ({ root, appPort }) => [{ line: `npm run dev -- --port ${appPort} --strictPort`, cwd: join(root, "app") }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({
    line: "node build",
    cwd: join(root, "app"),
    env: { PORT: String(appPort), ORIGIN: `http://localhost:${appPort}` },
  }),
  checks: ({ root }) => [{ line: "npm run check", cwd: join(root, "app") }],
}
