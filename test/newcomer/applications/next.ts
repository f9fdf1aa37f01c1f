import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Application, Site, Walk } from "../application.ts"
import { writePage } from "../follow-init.ts"
import { run } from "../shell.ts"
import { toJsxPage } from "../pages.ts"
import { toJson } from "../../write-files.ts"

/**
 * Fonts of Google, which the page of create-next-app takes when it is built, where they cannot be had: no font, and the
 * next one of the list is used.
 */
const withoutFonts = async ({ root }: Site): Promise<Record<string, string>> => {
  const sheet = "https://fonts.googleapis.com/css2?family=Geist:wght@100..900&display=swap"
  const isReached = await fetch(sheet, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isReached) return {}
  const face = (family: string) => `@font-face { font-family: '${family}'; src: local('Arial'); }`
  const file = join(root, "no-fonts.cjs")
  await writeFile(
    file,
    `module.exports = ${toJson({ [sheet]: face("Geist"), [sheet.replace("Geist", "Geist+Mono")]: face("Geist Mono") })}`,
  )
  return { NEXT_FONT_GOOGLE_MOCKED_RESPONSES: file }
}

/**
 * An application of create-next-app, made with flags of its own.
 *
 * @param walk what is tried in it besides
 */
export const defineNext = (flags: string, title: string, walk?: Walk): Application => {
  let fonts: Record<string, string> = {}
  const folder = ({ root }: Site) => join(root, "app")
  return {
    title,
    generate: async (site) => {
      await run(`npx --yes create-next-app@latest app --yes --eslint ${flags} --disable-git`, { cwd: site.root })
      fonts = await withoutFonts(site)
    },
    folders: ["app"],
    edit: (site, [advice]) => {
      const usual = { path: "app/page.tsx", client: "../lib/upload-client" }
      return writePage(advice!, folder(site), usual, toJsxPage("Home"))
    },
    develop: (site) => [{ line: "npm run dev", cwd: folder(site), env: { ...fonts, PORT: String(site.appPort) } }],
    build: (site) => [{ line: "npm run build", cwd: folder(site), env: fonts }],
    serve: (site) => ({ line: "npm start", cwd: folder(site), env: { PORT: String(site.appPort) } }),
    checks: (site) => [
      { line: "npm run lint", cwd: folder(site) },
      { line: "npx tsc --noEmit", cwd: folder(site) },
    ],
    ...(walk && { walk }),
  }
}
