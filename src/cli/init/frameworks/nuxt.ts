import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

export const nuxt: Framework = {
  name: "nuxt",
  title: "Nuxt",
  door: "h3",
  packages: ["nuxt"],
  config: "nuxt.config",
  hasPages: true,
  findsLate: { file: "nuxt.config", call: "defineNuxtConfig", property: "vite" },
  layout: ({ has }) => {
    // Nuxt 4 has the pages in app/, Nuxt 3 next to server/.
    const base = has("app") ? "app/" : ""
    return {
      files: [
        // Not below server/api: every file there is a route.
        toRouter("server/upload-router.ts", {
          door: "h3",
          argument: "request",
          session: `request.headers.get("cookie")`,
        }),
        toRoute(
          `server${names.adapterPath}.ts`,
          "h3",
          "../upload-router",
          "export default createRouteHandler({ router })",
        ),
        toClient(`${base}lib/upload-client.ts`, "vue", `${base === "" ? ".." : "../.."}/server/upload-router`),
      ],
    }
  },
}
