import { join } from "node:path"
import { isNamed } from "../find-use.ts"
import type { Framework } from "../framework.ts"
import type { Project } from "../read-project.ts"
import { readText } from "../read-text.ts"
import { toClient, toRoute, toRouter } from "../templates.ts"

/** Whether routes are found by their file names, or the configuration already has the route. */
const knowsRoute = ({ folder, has }: Project): boolean => {
  const config = ["app/routes.ts", "app/routes.js"].find(has)
  return config !== undefined && isNamed(readText(join(folder, config)) ?? "", /flatRoutes\(|api\.sluice/)
}

/** React Router with its own server: "framework mode". */
export const reactRouter: Framework = {
  name: "react-router",
  title: "React Router",
  door: "react-router",
  packages: ["@react-router/dev"],
  config: "react-router.config",
  findsLate: { file: "vite.config", call: "defineConfig" },
  hasPages: true,
  layout: (project) => ({
    files: [
      // `.server`: a build that would ship it to the browser fails.
      toRouter("app/upload-router.server.ts", {
        door: "react-router",
        argument: "request",
        session: `request.headers.get("cookie")`,
      }),
      toRoute(
        "app/routes/api.sluice.ts",
        "react-router",
        "../upload-router.server",
        // React Router refuses destructured exports, because it cannot remove them from code for browsers.
        "const { loader, action } = createRouteHandler({ router })\n\nexport { loader, action }",
      ),
      toClient("app/upload-client.ts", "react", "./upload-router.server"),
    ],
    mount: knowsRoute(project)
      ? undefined
      : {
          file: `app/routes.${project.isTypeScript ? "ts" : "js"}`,
          code: `route("api/sluice", "routes/api.sluice.${project.isTypeScript ? "ts" : "js"}"),`,
        },
  }),
}
