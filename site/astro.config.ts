import { join } from "node:path"
import starlight from "@astrojs/starlight"
import { defineConfig, passthroughImageService } from "astro/config"
import { doors } from "../tsup.config.ts"
import { pageGroups, publicFolder, toPageId, workFolder } from "./pages.ts"

export default defineConfig({
  srcDir: "./",
  outDir: process.env["SITE_WORK"] === undefined ? "./dist" : join(workFolder, "dist"),
  publicDir: publicFolder,
  cacheDir: join(workFolder, "astro"),
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "Sluice",
      description: "File uploads for TypeScript apps, on storage you own.",
      customCss: ["./styles.css"],
      pagination: true,
      lastUpdated: false,
      credits: false,
      // Nothing to be scrolled sideways, on a phone or by keyboard.
      expressiveCode: { defaultProps: { wrap: true } },
      markdown: { processedDirs: ["../docs", "../"] },
      sidebar: [
        ...pageGroups.map(({ label, files, isCollapsed = false }) => ({
          label,
          collapsed: isCollapsed,
          items: files.map((file) => ({ slug: toPageId(file) })),
        })),
        {
          label: "API reference",
          collapsed: true,
          items: [{ slug: "api" }, ...[...doors.keys()].toSorted().map((door) => ({ slug: `api/${door}` }))],
        },
      ],
    }),
  ],
})
