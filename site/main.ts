import { cp, mkdir, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, dev } from "astro"
import { listNames, readApi } from "./api-reference.ts"
import { apiFolder, publicFolder, repository, siteFiles, workFolder } from "./pages.ts"

const root = fileURLToPath(new URL(".", import.meta.url))

/** Builds the site into `site/dist`, or serves it while pages are written: `node site/main.ts build|dev`. */
const main = async (command: string | undefined): Promise<void> => {
  if (command !== "build" && command !== "dev") throw new Error("Say `build` or `dev`.")
  process.env["ASTRO_TELEMETRY_DISABLED"] = "1"
  await rm(apiFolder, { recursive: true, force: true })
  await mkdir(publicFolder, { recursive: true })
  for (const file of [...siteFiles, "site/favicon.svg"]) {
    await cp(join(repository, file), join(publicFolder, basename(file)))
  }
  const api = await readApi()
  await api.write(apiFolder)
  await writeFile(join(workFolder, "names.json"), JSON.stringify(listNames(api)))
  await (command === "build" ? build({ root }) : dev({ root, server: { host: "localhost" } }))
}

await main(process.argv[2])
