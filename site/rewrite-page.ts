import { posix } from "node:path"
import { siteFiles } from "./pages.ts"

/** A page as the site shows it. */
export interface SitePage {
  readonly title: string
  /** Markdown without the title; links lead to pages of the site. */
  readonly body: string
}

/** The way from one page to another, whatever address the site is served below. */
const toRelative = (from: string, to: string): string => {
  const folder = (id: string) => (id === "index" ? "/" : `/${id}/`)
  const path = posix.relative(folder(from), folder(to))
  return path === "" ? "./" : `${path}/`
}

const isPicture = (target: string): boolean => /\.(png|svg|webp|jpg)$/.test(target)

/**
 * Makes a page of the site of a file of Markdown: takes the title out, and lets links to other files lead to their pages.
 *
 * @param file the file's path, posix, in the tree that its links are relative to
 * @param idOf the page that a file is; undefined where the site has none
 * @param anchorOf an anchor as the site has it, where whoever wrote the page counts otherwise
 * @throws what to do, where a link leads to a file that the site does not have
 */
export const rewritePage = (
  markdown: string,
  file: string,
  idOf: (file: string) => string | undefined,
  anchorOf: (file: string, anchor: string) => string = (_, anchor) => anchor,
): SitePage => {
  const [heading, title] = /^# (.+)\n/m.exec(markdown) ?? []
  const id = idOf(file)
  if (heading === undefined || id === undefined) throw new Error(`${file} has no title: begin it with "# …".`)

  const toTarget = (target: string): string => {
    if (/^[a-z]+:/i.test(target) || isPicture(target)) return target
    const [path = "", anchor] = target.split("#")
    const to = path === "" ? file : posix.join(posix.dirname(file), path)
    if (siteFiles.includes(to)) return posix.join(toRelative(id, "index"), posix.basename(to))
    const other = idOf(to)
    if (other === undefined) throw new Error(`${file} links to ${path}, which is no page of the site (site/pages.ts).`)
    const place = anchor === undefined ? "" : `#${anchorOf(to, anchor)}`
    return path === "" ? place : toRelative(id, other) + place
  }

  let isCode = false
  const lines = markdown
    .replace(heading, "")
    .split("\n")
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode
      return isCode ? line : line.replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${toTarget(target)})`)
    })
  return { title: title!.replaceAll(/[`\\]/g, ""), body: lines.join("\n") }
}
