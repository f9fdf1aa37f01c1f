import { posix } from "node:path"
import type { PlannedFile } from "./planned-file.ts"
import type { Project } from "./read-project.ts"

/** Where the frameworks' own templates have the first page, without the extension. */
const pages = [
  "src/app/page",
  "app/page",
  "src/pages/index",
  "pages/index",
  "src/routes/+page",
  "app/routes/home",
  "app/routes/_index",
  "src/routes/index",
  "app/pages/index",
  "app/app",
  "app",
  "src/App",
]

const endings = ["tsx", "jsx", "vue", "svelte", "astro"]

/** A page that can have a component, and how it imports the component. */
export interface Page {
  readonly path: string
  readonly specifier: string
}

/** The first page of a project made from a template, if there is one. */
export const findPage = ({ has }: Project, client: PlannedFile): Page | undefined => {
  const found = pages.flatMap((page) => [
    ...endings.map((ending) => `${page}.${ending}`),
    // create-next-app without TypeScript writes markup into .js.
    ...(/page$|pages\/index$/.test(page) ? [`${page}.js`] : []),
  ])
  const path = found.find(has)
  if (path === undefined) return undefined
  const relative = posix.relative(posix.dirname(path), client.existing ?? client.path).replace(/\.\w+$/, "")
  return { path, specifier: relative.startsWith(".") ? relative : `./${relative}` }
}
