import { existsSync } from "node:fs"
import { join } from "node:path"
import adapter from "@sveltejs/adapter-node"
import { sveltekit } from "@sveltejs/kit/vite"
import { defineConfig } from "vite"

const repository = join(import.meta.dirname, "../..")

/** `sluice/…` are the package's sources here, so that a change of them is seen at once. */
const toSource = (door: string): string | undefined => {
  if (door === "styles.css") return join(repository, "src/ui/styles.css")
  const files = ["adapters", "bindings", "src"].map((folder) => join(repository, folder, `${door}.ts`))
  return files.find((file) => existsSync(file))
}

const { ORIGIN: origin } = process.env

export default defineConfig({
  cacheDir: ".svelte-kit/vite",
  server: { fs: { allow: [repository] } },
  plugins: [
    {
      name: "sluice-sources",
      enforce: "pre",
      resolveId: (id: string) => (id.startsWith("sluice/") ? toSource(id.slice("sluice/".length)) : undefined),
    },
    sveltekit({
      adapter: adapter(),
      // Without an origin adapter-node takes every request for https.
      paths: origin === undefined ? {} : { origin },
    }),
  ],
})
