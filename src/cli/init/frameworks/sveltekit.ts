import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

export const sveltekit: Framework = {
  name: "sveltekit",
  title: "SvelteKit",
  door: "sveltekit",
  packages: ["@sveltejs/kit"],
  hasPages: true,
  layout: () => ({
    files: [
      toRouter("src/lib/server/upload-router.ts", {
        door: "sveltekit",
        argument: "event",
        session: `event.cookies.get("session")`,
      }),
      toRoute(`src/routes${names.adapterPath}/+server.ts`, "sveltekit", "../../../lib/server/upload-router"),
      toClient("src/lib/upload-client.ts", "svelte", "./server/upload-router"),
    ],
  }),
}
