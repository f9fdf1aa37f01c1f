import { join } from "node:path"
import type { Application } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { run } from "../shell.ts"

export const tanstackStart: Application = {
  title: "TanStack Start (@tanstack/create-start)",
  generate: async ({ root }) => {
    const flags = "--yes --non-interactive --no-git --no-intent"
    await run(`npx --yes @tanstack/create-start@latest create app ${flags}`, { cwd: root })
  },
  hasOwnTheme: true,
  // Where there is no network.
  ownComplaint: /fonts\.googleapis\.com/,
  folders: ["app"],
  edit: ({ root }, [advice]) =>
    writePage(
      advice!,
      join(root, "app"),
      { path: "src/routes/index.tsx", client: "../lib/upload-client" },
      (imports, components) => `import { createFileRoute } from "@tanstack/react-router"
${imports}
export const Route = createFileRoute("/")({ component: App })

function App() {
  return (
    <main>
      ${components}
    </main>
  )
}
`,
    ),
  develop: ({ root, appPort }) => [{ line: `npm run dev -- --port ${appPort} --strictPort`, cwd: join(root, "app") }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({
    line: "node .output/server/index.mjs",
    cwd: join(root, "app"),
    env: { PORT: String(appPort) },
  }),
  checks: ({ root }) => [{ line: "npx tsc --noEmit", cwd: join(root, "app") }],
}
