import { fileURLToPath } from "node:url"

const repository = "/work"

/** @type {import("next").NextConfig} */
export default {
  basePath: "/nested",
  // A folder of its own for every run: two may share a working tree.
  distDir: process.env.DIST_FOLDER ?? ".next",
  turbopack: { root: repository },
  outputFileTracingRoot: repository,
}
