import { createRequire } from "node:module"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Consumer, createConsumer } from "./consumer.ts"
import { tryApp, writeFiles } from "./try-app.ts"

/** An app as users write it: the handler, the routes' configuration from the server, components of the client. */
const files = {
  "next.config.mjs": `export default { turbopack: { root: "/" }, outputFileTracingRoot: "/" }
`,
  "router.js": `import { createSluice } from "sluice/next"
const f = createSluice()
export const router = {
  photos: f({ image: { maxFileCount: 3 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
}
`,
  "app/api/sluice/route.js": `import { createRouteHandler } from "sluice/next"
import { router } from "../../../router"
export const { GET, POST } = createRouteHandler({ router })
`,
  "app/icon.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>
`,
  "app/upload.js": `"use client"
import { generateUploadDropzone, generateUseUploader } from "sluice/react"
export { RouteConfigSeed } from "sluice/react"
export const UploadDropzone = generateUploadDropzone()
export const useUploader = generateUseUploader()
`,
  "app/layout.js": `import { extractRouteConfig } from "sluice/next"
import "sluice/styles.css"
import { router } from "../router"
import { RouteConfigSeed } from "./upload"
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <RouteConfigSeed routes={extractRouteConfig(router)}>{children}</RouteConfigSeed>
      </body>
    </html>
  )
}
`,
  "app/page.js": `import { Photos } from "./photos"
export default function Page() {
  return <Photos />
}
`,
  "app/photos.js": `"use client"
import { useState } from "react"
import { UploadDropzone, useUploader } from "./upload"
export const Photos = () => {
  const [stored, setStored] = useState("nothing")
  const { routeConfig } = useUploader("photos")
  return (
    <main>
      <UploadDropzone
        endpoint="photos"
        config={{ mode: "auto" }}
        content={{ label: ({ files }) => <em>{files.length + " here"}</em> }}
        onClientUploadComplete={([file]) => setStored(file.serverData.stored)}
      />
      <output>{stored + " is stored, " + routeConfig.image.maxFileCount + " at most"}</output>
    </main>
  )
}
`,
}

const next = createRequire(import.meta.url).resolve("next/dist/bin/next")

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer(["next", "react", "react-dom"])
  await writeFiles(consumer, files)
})

afterAll(() => consumer.remove())

describe("a Next.js app that has only the tarball", () => {
  const env = { NEXT_TELEMETRY_DISABLED: "1" }
  it.each([
    ["development", { env, start: (port: string) => [next, "dev", "-H", "127.0.0.1", "-p", port] }],
    [
      "production",
      { env, build: [next, "build"], start: (port: string) => [next, "start", "-H", "127.0.0.1", "-p", port] },
    ],
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
