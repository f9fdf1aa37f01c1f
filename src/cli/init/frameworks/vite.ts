import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toPageClient } from "../templates.ts"

/** A page made by Vite, Angular or the like, whose server is another project: it only gets the page's side. */
export const vite: Framework = {
  name: "vite",
  title: "a page without a server (Vite, Angular and the like)",
  door: "client",
  packages: ["vite", "react-scripts", "parcel", "@rsbuild/core", "@angular/build", "@angular-devkit/build-angular"],
  config: "vite.config",
  hasPages: false,
  isUsedIn: ({ has, library }) =>
    library !== "client" || ["index.html", "public/index.html", "src/index.html"].some((page) => has(page)),
  isPageOnly: true,
  layout: ({ has, library }) => ({
    files: [toPageClient(`${has("src") ? "src/" : ""}upload-client.ts`, library, names.adapterPath)],
  }),
}
