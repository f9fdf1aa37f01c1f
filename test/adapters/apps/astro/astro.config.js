import node from "@astrojs/node"
import { defineConfig } from "astro/config"

// A folder of its own for every run: two may share a working tree.
const folder = process.env.DIST_FOLDER ?? ".astro/app"

export default defineConfig({
  base: "/nested",
  adapter: node({ mode: "standalone" }),
  srcDir: process.env.SOURCE_FOLDER ?? "src",
  outDir: `${folder}/dist`,
  cacheDir: `${folder}/cache`,
  vite: { cacheDir: `${folder}/vite` },
})
