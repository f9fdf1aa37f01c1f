import { join } from "node:path"
import type { Framework, Template } from "./framework.ts"
import type { PlannedEdit } from "./planned-file.ts"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"

/** The import in the page's side of a template; Tailwind 4 needs it in its own stylesheet instead. */
const importInScript = `import "sluice/styles.css"\n`

/** Below Tailwind's utilities, which are in a layer, and above its reset. */
const importInTailwind = `@import "sluice/styles.css" layer(components);`

/** Where frameworks' own templates, their Tailwind guides and users keep the stylesheet of all pages. */
const folders = [
  "app",
  "src",
  "src/app",
  "src/routes",
  "src/styles",
  "app/assets/css",
  "assets/css",
  "src/assets",
  "styles",
]
const names = ["globals", "global", "app", "index", "main", "style", "styles", "tailwind", "layout"]

const tailwind = /@import\s+(?:url\(\s*)?["']tailwindcss(?:\/[\w.-]+)?["'][^;]*;/g

/** An import of the stylesheet by the package's name, or by its path in node_modules. */
const imported = /@import\s+(?:url\(\s*)?["']?[^"';)]*\bsluice\/(?:dist\/)?styles\.css/

/**
 * The same length without comments, so that an import in a comment does not count; a `/*` in quotes (`@source "../**"`)
 * starts no comment.
 */
const blankComments = (css: string): string =>
  css.replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?(?:\*\/|$)/g, (match) =>
    match.startsWith("/*") ? match.replaceAll(/[^\n]/g, " ") : match,
  )

const readSource = ({ folder, has }: Project, path: string): string | undefined => {
  return has(path) ? readText(join(folder, path)) : undefined
}

/** The first stylesheet that imports Tailwind 4. */
const findTailwind = (project: Project): { readonly path: string; readonly css: string } | undefined => {
  for (const folder of folders) {
    for (const name of names) {
      const path = `${folder}/${name}.css`
      const css = readSource(project, path)
      if (css !== undefined && blankComments(css).search(tailwind) !== -1) return { path, css }
    }
  }
  return undefined
}

/** The script that begins a file of Astro. */
const frontmatter = /^\uFEFF?\s*---\r?\n/

/** A page's own file with the import, where there is one to put it into. */
const planPage = (project: Project, paths: ReadonlyArray<string>): PlannedEdit | undefined => {
  for (const path of paths) {
    const text = readSource(project, path)
    if (text === undefined) continue
    const begin = frontmatter.exec(text)?.[0]
    const newline = text.includes("\r\n") ? "\r\n" : "\n"
    const line = importInScript.replace("\n", newline)
    const after =
      begin === undefined ? `---${newline}${line}---${newline}${text}` : begin + line + text.slice(begin.length)
    return { path, before: text, after: /["']sluice\/styles\.css["']/.test(text) ? text : after }
  }
  return undefined
}

/**
 * Decides where a project imports the components' stylesheet. With Tailwind 4 it goes into Tailwind's own stylesheet,
 * into a layer that utilities override. Otherwise, Tailwind 3 included, it goes where the components are made, where
 * its specificity is sufficient, or into the framework's own file for it.
 *
 * @returns the page's side as it will be written, and the edit of an existing stylesheet
 */
export const planStylesheet = (
  project: Project,
  files: ReadonlyArray<Template>,
  { stylesIn = [] }: Pick<Framework, "stylesIn">,
): { readonly files: ReadonlyArray<Template>; readonly edit: PlannedEdit | undefined } => {
  const isNeeded = files.some(({ text }) => text.includes(importInScript))
  const bare = files.map((file) => ({ ...file, text: file.text.replace(importInScript, "") }))
  const found = isNeeded ? findTailwind(project) : undefined
  const page = isNeeded && found === undefined ? planPage(project, stylesIn) : undefined
  if (page !== undefined) return { files: bare, edit: page.after === page.before ? undefined : page }
  if (found === undefined) return { files, edit: undefined }
  const { path, css } = found
  const last = [...blankComments(css).matchAll(tailwind)].at(-1)!
  const end = last.index + last[0].length
  const newline = css.includes("\r\n") ? "\r\n" : "\n"
  return {
    files: bare,
    edit: imported.test(blankComments(css))
      ? undefined
      : { path, before: css, after: `${css.slice(0, end)}${newline}${importInTailwind}${css.slice(end)}` },
  }
}
