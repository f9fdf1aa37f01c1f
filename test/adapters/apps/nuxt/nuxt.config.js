import { defineNuxtConfig } from "nuxt/config"

// A folder of its own for every run: two may share a working tree.
const folder = process.env.DIST_FOLDER ?? ".nuxt/app"

export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  telemetry: false,
  devtools: { enabled: false },
  app: { baseURL: "/nested/" },
  buildDir: folder,
  vite: { cacheDir: `${folder}/vite` },
  nitro: { output: { dir: `${folder}/output` } },
})
