import adapter from "@sveltejs/adapter-node"
import { sveltekit } from "@sveltejs/kit/vite"
import { defineConfig } from "vite"

// A folder of its own for every run: two may share a working tree.
const folder = process.env.DIST_FOLDER ?? ".svelte-kit"

export default defineConfig({
  cacheDir: `${folder}/vite`,
  plugins: [
    sveltekit({
      adapter: adapter({ out: `${folder}/build` }),
      outDir: folder,
      // Without an origin adapter-node takes every request for https.
      paths: { base: "/nested", origin: process.env.ORIGIN },
    }),
  ],
})
