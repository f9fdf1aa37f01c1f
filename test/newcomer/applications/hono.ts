import { join } from "node:path"
import type { Application } from "../application.ts"
import { markupOf, mountRoutes } from "../follow-init.ts"
import { run } from "../shell.ts"
import { toDocument } from "../pages.ts"
import { toJson, writeFiles } from "../../write-files.ts"
import { beforeListening } from "./express.ts"

/** The template nodejs of create-hono, which fetches it from elsewhere than the npm registry. */
export const hono: Application = {
  title: "Hono (as create-hono makes it for Node.js)",
  generate: async ({ root }) => {
    const cwd = join(root, "app")
    await writeFiles(cwd, {
      "package.json": toJson({
        name: "newcomer",
        type: "module",
        scripts: { dev: "tsx watch src/index.ts", build: "tsc", start: "node dist/index.js" },
      }),
      "tsconfig.json": toJson({
        compilerOptions: {
          target: "ESNext",
          module: "NodeNext",
          strict: true,
          verbatimModuleSyntax: true,
          skipLibCheck: true,
          types: ["node"],
          jsx: "react-jsx",
          jsxImportSource: "hono/jsx",
          rootDir: "./src",
          outDir: "./dist",
        },
        exclude: ["node_modules"],
      }),
      "src/index.ts": `import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()

${beforeListening}
app.get('/', (c) => c.html(readFileSync('index.html', 'utf8')))

serve({
  fetch: app.fetch,
  port: Number(process.env.PORT ?? 3000)
}, (info) => {
  console.log(\`Server is running on http://localhost:\${info.port}\`)
})
`,
    })
    await run("npm install hono @hono/node-server", { cwd })
    await run("npm install --save-dev typescript@6 tsx @types/node@24", { cwd })
  },
  folders: ["app"],
  edit: async ({ root }, [advice]) => {
    await mountRoutes(advice!, join(root, "app"), beforeListening)
    await writeFiles(join(root, "app"), { "index.html": toDocument(markupOf(advice!)) })
  },
  develop: ({ root, appPort }) => [{ line: "npm run dev", cwd: join(root, "app"), env: { PORT: String(appPort) } }],
  build: ({ root }) => [{ line: "npm run build", cwd: join(root, "app") }],
  serve: ({ root, appPort }) => ({
    line: "npm start",
    cwd: join(root, "app"),
    env: { PORT: String(appPort), NODE_ENV: "production" },
  }),
  checks: ({ root }) => [{ line: "npx tsc --noEmit", cwd: join(root, "app") }],
}
