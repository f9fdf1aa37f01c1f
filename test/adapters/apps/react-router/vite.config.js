import { reactRouter } from "@react-router/dev/vite"
import { defineConfig } from "vite"

export default defineConfig({
  base: "/nested/",
  cacheDir: `${process.env.DIST_FOLDER ?? "dist"}/vite`,
  plugins: [reactRouter()],
})
