import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Consumer, createConsumer, repository } from "./consumer.ts"
import { tryApp, writeFiles } from "./try-app.ts"

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
  await writeFiles(consumer, files)
})

afterAll(() => consumer.remove())

const vite = join(repository, "node_modules/vite/bin/vite.js")

describe("a SvelteKit app that has only the tarball", () => {
  it.each([
    ["development", { start: (port: string) => [vite, "dev", "--host", "127.0.0.1", "--port", port] }],
    ["production", { build: [vite, "build"], start: () => ["build"] }],
  ] as const)("renders on the server, is taken over in the page and uploads, in %s", async (_, commands) => {
    const { html, text, complaints } = await tryApp(consumer, commands)
    expect(html).toContain("Choose files")
    expect(html).toContain("Up to 3 images, 4\u00a0MB each at most")
    expect(html).toContain("<em>0 here</em>")
    expect(html).toContain("nothing is stored, 3 at most")
    expect(text).toContain("1 here")
    expect(text).toContain("a.png is stored, 3 at most")
    expect(complaints).toEqual([])
  })
})
