import { join } from "node:path"
import type { Application } from "../application.ts"
import { markupOf, mountRoutes } from "../follow-init.ts"
import { run } from "../shell.ts"
import { toDocument } from "../pages.ts"
import { toJson, writeFiles } from "../../write-files.ts"

const tsconfig = toJson({
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
  },
})

/** Where a server of ours takes what `init` shows. */
export const beforeListening = "// Sluice goes here."

/** A server of Express as a newcomer writes one; there is no generator for it that is still kept. */
export const writeExpress = async (folder: string, page: string): Promise<void> => {
  await writeFiles(folder, {
    "package.json": toJson({
      name: "newcomer",
      private: true,
      type: "module",
      scripts: { dev: "node --watch server.ts", start: "node server.ts" },
    }),
    "tsconfig.json": tsconfig,
    "server.ts": `import express from "express"

const app = express()
${beforeListening}
${page}
app.listen(Number(process.env.PORT ?? 3000))
`,
  })
  await run("npm install express", { cwd: folder })
  await run("npm install --save-dev typescript@6 @types/node@24 @types/express", { cwd: folder })
}

export const express: Application = {
  title: "Express",
  generate: ({ root }) =>
    writeExpress(join(root, "app"), `app.get("/", (_req, res) => void res.sendFile("index.html", { root: "." }))`),
  folders: ["app"],
  edit: async ({ root }, [advice]) => {
    await mountRoutes(advice!, join(root, "app"), beforeListening)
    await writeFiles(join(root, "app"), { "index.html": toDocument(markupOf(advice!)) })
  },
  develop: ({ root, appPort }) => [{ line: "npm run dev", cwd: join(root, "app"), env: { PORT: String(appPort) } }],
  build: () => [],
  serve: ({ root, appPort }) => ({
    line: "npm start",
    cwd: join(root, "app"),
    env: { PORT: String(appPort), NODE_ENV: "production" },
  }),
  checks: ({ root }) => [{ line: "npx tsc", cwd: join(root, "app") }],
}
