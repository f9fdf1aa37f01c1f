import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

export const solidStart: Framework = {
  name: "solid-start",
  title: "SolidStart",
  door: "solid-start",
  packages: ["@solidjs/start"],
  hasPages: true,
  layout: () => ({
    files: [
      toRouter("src/lib/upload-router.ts", {
        door: "solid-start",
        argument: "request",
        session: `request.headers.get("cookie")`,
      }),
      toRoute(`src/routes${names.adapterPath}.ts`, "solid-start", "../../lib/upload-router"),
      toClient("src/lib/upload-client.ts", "solid", "./upload-router"),
    ],
  }),
}
