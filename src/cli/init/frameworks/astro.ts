import { names } from "../../../protocol.ts"
import type { Framework } from "../framework.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

export const astro: Framework = {
  name: "astro",
  title: "Astro",
  door: "astro",
  packages: ["astro"],
  config: "astro.config",
  hasPages: true,
  stylesIn: [
    ...["Layout", "BaseLayout", "Base", "Main"].map((name) => `src/layouts/${name}.astro`),
    "src/pages/index.astro",
  ],
  layout: ({ library }) => ({
    files: [
      // Not below src/pages: every file there is a route.
      toRouter("src/lib/upload-router.ts", {
        door: "astro",
        argument: "context",
        session: `context.cookies.get("session")?.value`,
      }),
      toRoute(
        `src/pages${names.adapterPath}.ts`,
        "astro",
        "../../lib/upload-router",
        "export const prerender = false\n\nexport const { GET, POST } = createRouteHandler({ router })",
      ),
      toClient("src/lib/upload-client.ts", library, "./upload-router"),
    ],
  }),
}
