import { tanstackStart } from "@tanstack/react-start/plugin/vite"
import { defineConfig } from "vite"

// A folder of its own for every run: two may share a working tree.
const folder = process.env.DIST_FOLDER ?? "dist"
const routeTree = `${import.meta.dirname}/${folder}/routeTree.gen.ts`

export default defineConfig({
  base: "/nested/",
  cacheDir: `${folder}/vite`,
  build: { outDir: folder },
  resolve: { alias: { "virtual:route-tree": routeTree } },
  plugins: [tanstackStart({ router: { generatedRouteTree: routeTree } })],
})
