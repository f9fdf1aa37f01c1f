import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

/** Next.js with the App Router. */
export const next: Framework = {
  name: "next",
  title: "Next.js (App Router)",
  door: "next",
  packages: ["next"],
  config: "next.config",
  hasPages: true,
  isUsedIn: ({ has }) => has("app") || has("src/app") || !(has("pages") || has("src/pages")),
  layout: ({ has, library }) => {
    const base = has("src/app") || (!has("app") && has("src")) ? "src/" : ""
    return {
      files: [
        toRouter(`${base}app${names.adapterPath}/router.ts`, {
          door: "next",
          argument: "req",
          session: `req.cookies.get("session")?.value`,
        }),
        toRoute(`${base}app${names.adapterPath}/route.ts`, "next", "./router"),
        toClient(
          `${base}lib/upload-client.ts`,
          library === "client" ? "react" : library,
          `../app${names.adapterPath}/router`,
          `"use client"\n`,
        ),
      ],
    }
  },
}
