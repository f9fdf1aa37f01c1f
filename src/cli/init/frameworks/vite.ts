import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toPageClient } from "../templates.ts"

/** A page made by Vite or the like, whose server is another project: it only gets the page's side. */
export const vite: Framework = {
  name: "vite",
  title: "a page without a server (Vite and the like)",
  door: "client",
  packages: ["vite", "react-scripts", "parcel", "@rsbuild/core"],
  config: "vite.config",
  hasPages: false,
  isUsedIn: ({ has, library }) => library !== "client" || has("index.html") || has("public/index.html"),
  isPageOnly: true,
  layout: ({ has, library }) => ({
    files: [toPageClient(`${has("src") ? "src/" : ""}upload-client.ts`, library, names.adapterPath)],
  }),
}
