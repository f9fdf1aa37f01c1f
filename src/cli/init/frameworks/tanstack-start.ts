import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRouter } from "../templates.ts"

export const tanstackStart: Framework = {
  name: "tanstack-start",
  title: "TanStack Start",
  door: "tanstack-start",
  packages: ["@tanstack/react-start"],
  hasPages: true,
  layout: ({ has }) => {
    const base = has("app/routes") && !has("src/routes") ? "app/" : "src/"
    return {
      files: [
        toRouter(`${base}lib/upload-router.ts`, {
          door: "tanstack-start",
          argument: "request",
          session: `request.headers.get("cookie")`,
        }),
        {
          path: `${base}routes${names.adapterPath}.ts`,
          text: `import { createFileRoute } from "@tanstack/react-router"
import { createRouteHandler } from "sluice/tanstack-start"
import { router } from "../../lib/upload-router"

export const Route = createFileRoute("${names.adapterPath}")({
  server: { handlers: createRouteHandler({ router }) },
})
`,
        },
        toClient(`${base}lib/upload-client.ts`, "react", "./upload-router"),
      ],
    }
  },
}
