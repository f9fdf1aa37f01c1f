import { solidStart } from "@solidjs/start/config"
import { defineConfig } from "vite"

// A folder of its own for every run: two may share a working tree.
const folder = process.env.DIST_FOLDER ?? "dist"

export default defineConfig({
  base: "/nested/",
  cacheDir: `${folder}/vite`,
  plugins: [
    solidStart({ middleware: "src/middleware.ts" }),
    {
      name: "output-folder",
      config: () => ({
        environments: {
          client: { build: { outDir: `${folder}/client` } },
          ssr: { build: { outDir: `${folder}/server` } },
        },
      }),
    },
  ],
})
