import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createRequire } from "node:module"
import { afterAll, expect, test } from "vitest"
import { findFreePort } from "../adapters/apps/listen.ts"
import { runProgram, startProgram } from "../adapters/apps/start-process.ts"
import { startSite } from "../bindings/start-site.ts"
import { readBlocks } from "../code-blocks.ts"
import { describeAlbum } from "../forms/describe-album.ts"
import { describeMistake } from "../forms/describe-mistake.ts"
import type { FormApp } from "../forms/form-app.ts"
import { describeProfile } from "../forms/describe-profile.ts"
import { createConsumer, repository } from "./consumer.ts"
import { writeFiles } from "./try-app.ts"

const blocks = readBlocks(await readFile(join(repository, "docs/forms.md"), "utf8")).filter(({ path }) => path !== "")
const picture = readBlocks(await readFile(join(repository, "docs/images.md"), "utf8")).find(
  ({ path }) => path === "private-picture.tsx",
)
const shared = /^(router|database|explain|album|save-album)\.ts$/

/** The blocks of a section, and what all share in a folder. */
const filesOf = (heading: string, folder: string): Record<string, string> => {
  const own = blocks.filter((block) => block.heading.startsWith(heading)).map(({ path, code }) => [path, code])
  const others = blocks.filter(({ path }) => shared.test(path)).map(({ path, code }) => [join(folder, path), code])
  return Object.fromEntries([...own, ...others])
}

/** For the browser of a test: signs in who has nothing. */
const signIn = (database: string) => `import { randomUUID } from "node:crypto"
import { database } from "${database}"
export const POST = () => {
  const session = randomUUID()
  database.users.set(session, randomUUID())
  return new Response(session)
}
`

/** @returns the cookie of a user who has nothing */
const takeSession = async (origin: string): Promise<string> => {
  // Without a type SvelteKit takes it for a form of another site.
  const headers = { "content-type": "application/json" }
  const answer = await fetch(`${origin}/api/sign-in`, { method: "POST", headers, body: "{}" })
  expect(answer.status).toBe(200)
  return answer.text()
}

const next = createRequire(import.meta.url).resolve("next/dist/bin/next")

interface Application {
  readonly links: ReadonlyArray<string>
  readonly files: Readonly<Record<string, string>>
  readonly build: ReadonlyArray<string>
  readonly start: (port: string) => ReadonlyArray<string>
}

/** Builds an app of the tarball and starts it beside an ingest. */
const startApp = async ({ links, files, build, start }: Application): Promise<FormApp> => {
  const consumer = await createConsumer(links)
  await writeFiles(consumer, files)
  const site = await startSite({ script: "" })
  const port = String(await findFreePort())
  const origin = `http://127.0.0.1:${port}`
  const env = {
    HOST: "127.0.0.1",
    PORT: port,
    ORIGIN: origin,
    NEXT_TELEMETRY_DISABLED: "1",
    SLUICE_TOKEN: site.token,
    SLUICE_CALLBACK_URL: `${origin}/api/sluice`,
  }
  await runProgram([...build], { cwd: consumer.folder, env })
  const app = await startProgram([...start(port)], { cwd: consumer.folder, env })
  return {
    origin,
    site,
    signIn: async (context) => {
      await context.addCookies([{ name: "session", value: await takeSession(origin), url: origin }])
    },
    close: async () => {
      await app.close()
      await site.close()
      await consumer.remove()
      // What the server complained of.
      expect(app.output()).not.toMatch(/\b(Error|error)\b/)
    },
  }
}

let inNext: Promise<FormApp> | undefined

/** One application for both pages; it is closed at the end. */
const startNext = async (): Promise<FormApp> => {
  inNext ??= startApp({
    links: [
      ...["next", "react", "react-dom", "zod", "@conform-to/react", "@conform-to/zod", "@conform-to/dom"],
      ...["typescript", "@types/react", "@types/node"],
    ],
    files: {
      ...filesOf("Conform", "."),
      ...filesOf("One file", "."),
      "upload.tsx": blocks.find(({ path }) => path === "upload.tsx")!.code,
      "next.config.mjs": `// As create-next-app writes it.
export default { cacheComponents: true, turbopack: { root: "/" }, outputFileTracingRoot: "/" }
`,
      // It is built, as part of a page that nothing else makes dynamic.
      "private-picture.tsx": picture!.code,
      "app/private/page.tsx": `import { PrivatePicture } from "../../private-picture"
export default function Page() {
  return <PrivatePicture fileKey="none" name="Nothing" />
}
`,
      "app/icon.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>\n`,
      "app/api/sluice/route.ts": `import { createRouteHandler } from "sluice/next"
import { router } from "../../../router"
export const { GET, POST } = createRouteHandler({ router })
`,
      "app/api/sign-in/route.ts": signIn("../../../database"),
      "app/layout.tsx": `import type { ReactNode } from "react"
import { extractRouteConfig } from "sluice/next"
import { RouteConfigSeed } from "sluice/react"
import { router } from "../router"
export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <RouteConfigSeed routes={extractRouteConfig(router)}>{children}</RouteConfigSeed>
      </body>
    </html>
  )
}
`,
    },
    build: [next, "build"],
    start: (port) => [next, "start", "-H", "127.0.0.1", "-p", port],
  })
  return { ...(await inNext), close: async () => {} }
}
afterAll(async () => (await inNext)?.close())

describeAlbum("Conform and a server action of Next.js", startNext, { path: "/album" })
describeProfile("a server action of Next.js", startNext)

test("the first HTML of both pages says what may be chosen, although each is rendered for its request", async () => {
  const { origin } = await startNext()
  const session = await takeSession(origin)
  const read = async (page: string) =>
    (await fetch(`${origin}${page}`, { headers: { cookie: `session=${session}` } })).text()
  expect(await read("/album")).toContain("Choose files")
  expect(await read("/profile")).toContain("Choose a picture")
})

const action = Object.entries(filesOf("SvelteKit", "src/lib")).map(
  ([path, code]) => [path.replace("/album/", "/plain/"), code.replace(`303, "/album"`, `303, "/plain"`)] as const,
)
const pageOfSvelteKit = readBlocks(await readFile(join(repository, "docs/frameworks/sveltekit.md"), "utf8"))
const layout = pageOfSvelteKit.filter(({ path }) => path.includes("+layout"))

let inSvelteKit: Promise<FormApp> | undefined

/** One application for both forms; it is closed at the end. */
const startSvelteKit = async (): Promise<FormApp> => {
  inSvelteKit ??= startApp({
    links: [
      ...["svelte", "@sveltejs/kit", "@sveltejs/adapter-node", "@sveltejs/vite-plugin-svelte", "vite"],
      ...["zod", "sveltekit-superforms"],
    ],
    files: {
      ...Object.fromEntries(action),
      ...filesOf("Superforms", "src/lib"),
      ...Object.fromEntries(layout.map(({ path, code }) => [path, code])),
      "src/lib/server/upload-router.ts": `export { router } from "../router"\n`,
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
      "src/routes/api/sluice/+server.ts": `import { createRouteHandler } from "sluice/sveltekit"
import { router } from "../../../lib/router"
export const { GET, POST } = createRouteHandler({ router })
`,
      "src/routes/api/sign-in/+server.ts": signIn("../../../lib/database"),
    },
    build: [join(repository, "node_modules/vite/bin/vite.js"), "build"],
    start: () => ["build"],
  })
  return { ...(await inSvelteKit), close: async () => {} }
}
afterAll(async () => (await inSvelteKit)?.close())

describeAlbum("Superforms", startSvelteKit, { path: "/album" })
describeMistake("a form action of SvelteKit", startSvelteKit, { path: "/plain" })

test("the first HTML of a page of SvelteKit says what may be chosen, by the layout of its page in the docs", async () => {
  const { origin } = await startSvelteKit()
  const headers = { cookie: `session=${await takeSession(origin)}` }
  expect(await (await fetch(`${origin}/plain`, { headers })).text()).toContain("Choose files")
})
