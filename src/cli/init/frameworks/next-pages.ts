import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

/** Next.js with only the Pages Router. */
export const nextPages: Framework = {
  name: "next-pages",
  title: "Next.js (Pages Router)",
  door: "next-pages",
  packages: ["next"],
  config: "next.config",
  hasPages: true,
  isUsedIn: (project) => !["app", "src/app"].some(project.has) && ["pages", "src/pages"].some(project.has),
  layout: ({ has, library }) => {
    const base = has("src/pages") || (!has("pages") && has("src")) ? "src/" : ""
    return {
      files: [
        // Not below pages/api: every file there is a route.
        toRouter(`${base}lib/upload-router.ts`, {
          door: "next-pages",
          argument: "req",
          session: `req.cookies["session"]`,
        }),
        toRoute(
          `${base}pages${names.adapterPath}.ts`,
          "next-pages",
          "../../lib/upload-router",
          `export default createRouteHandler({ router })

// Callbacks are verified byte by byte; Next.js reads this line while it builds, so it has to stand here.
export const config = { api: { bodyParser: false } }`,
        ),
        toClient(`${base}lib/upload-client.ts`, library === "client" ? "react" : library, "./upload-router"),
      ],
    }
  },
}
