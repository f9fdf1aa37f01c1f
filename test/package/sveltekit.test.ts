import { createServer } from "node:http"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { toNodeListener } from "../../adapters/node.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { encodeToken } from "../../src/protocol.ts"
import { findFreePort, listen } from "../adapters/apps/listen.ts"
import { runProgram, startProgram } from "../adapters/apps/start-process.ts"
import { launchChromium } from "../browser/chromium.ts"
import { type Consumer, createConsumer, repository } from "./consumer.ts"

/** An app as users write it: the handler, the routes' configuration from the server, a dropzone with a snippet. */
const files = {
  "vite.config.js": `import adapter from "@sveltejs/adapter-node"
import { sveltekit } from "@sveltejs/kit/vite"
export default { plugins: [sveltekit({ adapter: adapter(), paths: { origin: process.env.ORIGIN } })] }
`,
  "src/app.html": `<!doctype html>
<html lang="en">
  <head><link rel="icon" href="data:," />%sveltekit.head%</head>
  <body><div>%sveltekit.body%</div></body>
</html>
`,
  "src/lib/server/router.js": `import { createSluice } from "sluice/sveltekit"
const f = createSluice()
export const router = {
  photos: f({ image: { maxFileCount: 3 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
}
`,
  "src/routes/api/sluice/+server.js": `import { createRouteHandler } from "sluice/sveltekit"
import { router } from "../../../lib/server/router.js"
export const { GET, POST } = createRouteHandler({ router })
`,
  "src/routes/+layout.server.js": `import { extractRouteConfig } from "sluice/server"
import { router } from "../lib/server/router.js"
export const load = () => ({ routes: extractRouteConfig(router) })
`,
  "src/routes/+layout.svelte": `<script>
  import { RouteConfigSeed } from "sluice/svelte"
  const { data, children } = $props()
</script>

<RouteConfigSeed routes={data.routes} />
{@render children()}
`,
  "src/lib/uploads.js": `import { generateUploadDropzone, generateUseUploader } from "sluice/svelte"
export const UploadDropzone = generateUploadDropzone()
export const useUploader = generateUseUploader()
`,
  "src/routes/+page.svelte": `<script>
  import { UploadDropzone, useUploader } from "../lib/uploads.js"
  const uploader = useUploader("photos")
  let stored = $state("nothing")
</script>

<UploadDropzone endpoint="photos" config={{ mode: "auto" }} onClientUploadComplete={([file]) => (stored = file.serverData.stored)}>
  {#snippet label({ files })}<em>{files.length} here</em>{/snippet}
</UploadDropzone>
<output>{stored} is stored, {uploader.routeConfig.image.maxFileCount} at most</output>
`,
}

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer([
    "@sveltejs/adapter-node",
    "@sveltejs/kit",
    "@sveltejs/vite-plugin-svelte",
    "svelte",
    "vite",
  ])
  for (const [name, text] of Object.entries(files)) {
    const file = join(consumer.folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
})

afterAll(() => consumer.remove())

const vite = join(repository, "node_modules/vite/bin/vite.js")
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
)

describe("a SvelteKit app that has only the tarball", () => {
  for (const mode of ["development", "production"] as const) {
    it(`renders on the server, is taken over in the page and uploads, in ${mode}`, async () => {
      const port = String(await findFreePort())
      const origin = `http://127.0.0.1:${port}`
      const cwd = consumer.folder
      const storage = await listen(createServer(toNodeListener((request) => ingest.fetch(request))))
      const token = encodeToken({ apiKey: "sk_test", appId: "app", regions: ["local"], ingestUrl: storage.origin })
      const ingest = createIngest({
        token,
        store: createMemoryBlobStore(),
        catalog: createMemoryCatalog(),
        logLevel: "None",
      })
      const env = { HOST: "127.0.0.1", PORT: port, ORIGIN: origin, SLUICE_TOKEN: token }
      if (mode === "production") await runProgram([vite, "build"], { cwd, env })
      const start = mode === "production" ? ["build"] : [vite, "dev", "--host", "127.0.0.1", "--port", port]
      const app = await startProgram(start, { cwd, env })
      const browser = await launchChromium()
      try {
        const html = await (await fetch(origin)).text()
        expect(html).toContain("Choose files")
        expect(html).toContain("Up to 3 images, 4\u00a0MB each at most")
        expect(html).toContain("<em>0 here</em>")
        expect(html).toContain("nothing is stored, 3 at most")

        const page = await browser.newPage()
        const complaints: Array<string> = []
        page.on("pageerror", (error) => complaints.push(String(error)))
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) complaints.push(message.text())
        })
        await page.goto(origin, { waitUntil: "networkidle" })
        await page.setInputFiles("input", { name: "a.png", mimeType: "image/png", buffer: png })
        await page.getByText("a.png is stored, 3 at most").waitFor()
        expect(await page.locator("em").textContent()).toBe("1 here")
        expect(complaints).toEqual([])
      } finally {
        await browser.close()
        await app.close()
        await ingest.close()
        await storage.close()
      }
    })
  }
})
