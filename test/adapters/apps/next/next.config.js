import { realpathSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const packages = realpathSync(fileURLToPath(new URL("../../../../node_modules", import.meta.url)))

// Above the repository only where its packages are those of another working tree.
let root = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "")
while (!packages.startsWith(`${root}/`)) root = dirname(root)

/** @type {import("next").NextConfig} */
export default {
  basePath: "/nested",
  // A folder of its own for every run: two may share a working tree.
  distDir: process.env.DIST_FOLDER ?? ".next",
  turbopack: { root },
  outputFileTracingRoot: root,
}
