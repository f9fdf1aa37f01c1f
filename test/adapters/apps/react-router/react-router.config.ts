import type { Config } from "@react-router/dev/config"

export default {
  basename: "/nested/",
  // A folder of its own for every run: two may share a working tree.
  buildDirectory: process.env.DIST_FOLDER ?? "dist",
} satisfies Config
