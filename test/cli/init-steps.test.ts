import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { runInit } from "../../src/cli/init/run-init.ts"
import { makeFolder } from "../make-folder.ts"
import { type Files, writeFiles } from "../write-files.ts"

const root = join(import.meta.dirname, "../..")

interface Said {
  readonly files: ReadonlyArray<{ readonly path: string; readonly isNew: boolean }>
  readonly edits: ReadonlyArray<{ readonly path: string }>
  readonly devScript: { readonly action: string; readonly command: string | null }
  readonly mount: { readonly file: string; readonly code: string } | null
  readonly next: ReadonlyArray<string>
  readonly language: string
}

/** Runs `sluice init --yes --json` in a folder. */
const init = async (folder: string): Promise<Said> => {
  const print = vi.spyOn(console, "log").mockReturnValue()
  try {
    await runInit(folder, { json: true, yes: true })
    return JSON.parse(print.mock.calls[0]![0])
  } finally {
    print.mockRestore()
  }
}

const projectOf = async (files: Files): Promise<string> => {
  const folder = await makeFolder()
  await writeFiles(folder, files)
  return folder
}

const next: Files = {
  "package.json": { scripts: { dev: "next dev" }, dependencies: { next: "16", react: "19", sluice: "1" } },
  "tsconfig.json": "{}",
  "src/app/page.tsx": "export default function Page() {}\n",
}

const express: Files = {
  "package.json": { type: "module", scripts: { dev: "node server.js" }, dependencies: { express: "5", sluice: "1" } },
  "server.js": "",
}

const says = ({ next: steps }: Said, text: string): boolean => steps.some((step) => step.includes(text))

const openStep = "Say who may upload, in the middleware of"

describe("the steps that sluice init prints", () => {
  it("are the same in every run, as long as nobody has done them", async () => {
    const folder = await projectOf(next)
    const first = await init(folder)
    expect(first.next).toEqual([
      `${openStep} src/app/api/sluice/router.ts: as it stands, anybody may.`,
      'Put the button on a page, for example src/app/page.tsx:\n\n     import { UploadButton } from "../lib/upload-client"\n\n     <UploadButton endpoint="avatar" />\n',
      "npm run dev",
      "Check it while that runs: npx sluice doctor",
      expect.stringContaining("SLUICE_CALLBACK_URL"),
    ])
    for (let run = 0; run < 2; run++) {
      const { next: steps, files, edits, devScript } = await init(folder)
      expect(steps).toEqual(first.next)
      expect([files.some(({ isNew }) => isNew), edits, devScript.action]).toEqual([false, [], "kept"])
    }
  })

  it("go when they are done, each by itself, and not by a comment", async () => {
    const folder = await projectOf(next)
    const router = join(folder, "src/app/api/sluice/router.ts")
    await init(folder)
    await writeFiles(folder, { "src/app/page.tsx": `// import { UploadButton } from "../lib/upload-client"\n` })
    expect(says(await init(folder), "<UploadButton")).toBe(true)
    await writeFiles(folder, { "src/app/page.tsx": `import { UploadButton } from "../lib/upload-client"\n` })
    const said = await init(folder)
    expect([says(said, "<UploadButton"), says(said, openStep)]).toEqual([false, true])
    const text = await readFile(router, "utf8")
    await writeFile(router, text.replace(/ +\/\/ As it stands.*\n.*\n/, "").replaceAll("\n", "\r\n"))
    expect(says(await init(folder), openStep)).toBe(false)
  })

  it("come again with what was deleted, and the rest stays", async () => {
    const folder = await projectOf(next)
    await init(folder)
    await writeFiles(folder, { "src/lib/upload-client.ts": "export const mine = 1\n" })
    await rm(join(folder, "src/app/api/sluice"), { recursive: true })
    const { files, next: steps } = await init(folder)
    expect(files.map(({ isNew }) => isNew)).toEqual([true, true, false])
    expect(steps[0]).toContain(openStep)
    expect(await readFile(join(folder, "src/lib/upload-client.ts"), "utf8")).toBe("export const mine = 1\n")
  })

  it("ask for the lines in a server until a file has them, whichever that is", async () => {
    const folder = await projectOf(express)
    expect((await init(folder)).next[0]).toMatch(/^Add to server\.js:\n/)
    await writeFiles(folder, { "server.js": `// import { uploads } from "./upload-router.js"\n` })
    expect((await init(folder)).mount).not.toBeNull()
    await writeFiles(folder, { "routes/files.js": `import { uploads } from "../upload-router.js"\n` })
    expect((await init(folder)).mount).toBeNull()
    expect(says(await init(folder), "<sluice-button")).toBe(true)
    await writeFiles(folder, { "public/index.html": `<sluice-dropzone endpoint="avatar"></sluice-dropzone>` })
    expect(says(await init(folder), "<sluice-button")).toBe(false)
  })

  it("ask for the lines although other files name the router, which do not mount it", async () => {
    const plain = { type: "module", scripts: { dev: "node server.ts" }, dependencies: { hono: "4", sluice: "1" } }
    const folder = await projectOf({ "package.json": plain, "server.ts": `import { Hono } from "hono"\n` })
    const isAsked = async () => (await init(folder)).mount !== null
    const others: Files = {
      "upload-client.ts": `import type { router } from "./upload-router.ts"\nexport const a = 1\n`,
      "types.ts": `import { type router } from "./upload-router.ts"\nexport type { uploads } from "./upload-router.ts"\n`,
      "server.test.ts": `import { router } from "./upload-router.ts"\n`,
      "examples/one/upload-router.ts": "export const uploads = 1\n",
      "examples/one/server.ts": `import { uploads } from "./upload-router.ts"\n`,
      "worker.ts": `import { uploads } from "./upload-router.ts"\nserve({ fetch: uploads })\n`,
    }
    for (const [path, text] of Object.entries(others)) {
      await writeFiles(folder, { [path]: text })
      expect(await isAsked(), path).toBe(true)
    }
    // The same file, where the server is made of it.
    await writeFiles(folder, {
      "server.ts": `import "./routes"\n`,
      "routes/index.ts": `import "../worker.ts"\n`,
    })
    expect(await isAsked()).toBe(false)
    await writeFiles(folder, { "server.ts": `import { type router, uploads } from "./upload-router.ts"\n` })
    expect(await isAsked()).toBe(false)
  })

  it("name files that are there, where a workspace has its packages at its root", async () => {
    const folder = await projectOf({
      "package.json": { workspaces: ["apps/*"] },
      "node_modules/sluice/package.json": {},
      "node_modules/sluice/docs/frameworks/express.md": "",
      ...Object.fromEntries(Object.entries(express).map(([path, text]) => [`apps/web/${path}`, text])),
      "apps/web/AGENTS.md": "\uFEFF# Rules\r\n",
    })
    const { mount } = await init(join(folder, "apps/web"))
    expect(mount?.code).toContain(`express.static("../../node_modules/sluice/dist")`)
    const rules = await readFile(join(folder, "apps/web/AGENTS.md"), "utf8")
    const [page = ""] = /\S+\.md/.exec(rules) ?? []
    expect(existsSync(join(folder, "apps/web", page)), page).toBe(true)
    expect(rules.replaceAll("\r\n", "")).not.toContain("\n")
    expect(rules.startsWith("\uFEFF# Rules\r\n")).toBe(true)
  })
})

describe("sluice init beside a page that Vite makes", () => {
  const page: Files = {
    "package.json": {
      type: "module",
      scripts: { dev: "vite", build: "vite build" },
      dependencies: { express: "5", vue: "3", sluice: "1" },
      devDependencies: { vite: "8" },
    },
    "index.html": `<div id="app"></div><script type="module" src="/src/main.ts"></script>`,
    "tsconfig.json": `{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }`,
    "tsconfig.app.json": `{ "compilerOptions": { "allowImportingTsExtensions": true } }`,
    "src/main.ts": "",
    "src/App.vue": "",
    "server.ts": "",
  }

  it("takes the server for the server, and not what the page loads", async () => {
    const { mount, files, devScript, next: steps } = await init(await projectOf(page))
    expect(mount?.file).toBe("server.ts")
    expect(files.map(({ path }) => path)).toEqual(["upload-router.ts", "src/upload-client.ts"])
    expect(devScript.action).toBe("page")
    const all = steps.join("\n")
    expect(all).toContain("npx sluice dev -- node server.ts\n")
    expect(all).toContain(`server: { proxy: { "/api/sluice": "http://localhost:3000" } }`)
    expect(all).toContain(`import { UploadButton } from "./upload-client"`)
    expect(all).not.toContain("rewriteRelativeImportExtensions")
  })

  it("does not ask for a proxy that is there", async () => {
    const config = `export default { server: { proxy: { "/api": "http://localhost:8080" } } }`
    const said = await init(await projectOf({ ...page, "vite.config.ts": config }))
    expect(says(said, "vite.config")).toBe(false)
  })

  it("puts sluice dev before a script that starts both", async () => {
    const scripts = { dev: `concurrently "vite" "node --watch api/start.ts"` }
    const folder = await projectOf({
      ...page,
      "package.json": { type: "module", scripts, dependencies: { express: "5" }, devDependencies: { vite: "8" } },
      "api/start.ts": "",
    })
    const { devScript, mount } = await init(folder)
    expect([devScript.action, mount?.file]).toEqual(["changed", "api/start.ts"])
  })
})

it("sluice init writes TypeScript beside a server that is, whatever the project says", async () => {
  const folder = await projectOf({
    "package.json": { type: "module", scripts: { dev: "node --watch server.ts" }, dependencies: { hono: "4" } },
    "server.ts": "",
  })
  const { language, files, mount } = await init(folder)
  expect([language, files.map(({ path }) => path)]).toEqual(["ts", ["upload-router.ts"]])
  expect(mount?.code).toContain(`from "./upload-router.ts"`)
})

it("sluice init writes JavaScript where TypeScript only checks it", async () => {
  const folder = await projectOf({
    "package.json": { type: "module", devDependencies: { "@sveltejs/kit": "2", svelte: "5", typescript: "6" } },
    "jsconfig.json": "{}",
  })
  const { language, files } = await init(folder)
  expect(language).toBe("js")
  expect(files.every(({ path }) => path.endsWith(".js"))).toBe(true)
})

it("sluice init knows the package manager by a package.json with a byte order mark above", async () => {
  const folder = await projectOf({
    "package.json": `\uFEFF{ "packageManager": "yarn@4.1.0" }`,
    ...{ "web/package.json": "{}" },
  })
  expect(says(await init(join(folder, "web")), "yarn add")).toBe(true)
})

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

describe("a server that is not there yet", () => {
  it.each([
    ["express", "module"],
    ["express", "commonjs"],
    ["fastify", "module"],
    ["hono", "module"],
    ["node", "module"],
    ["node", "commonjs"],
  ])("is shown whole, and runs: %s, %s", async (name, type) => {
    const folder = await projectOf({
      "package.json": { type, main: "index.js", dependencies: name === "node" ? {} : { [name]: "1" } },
      "index.html": "<p>the page</p>",
      "node_modules/sluice/package.json": { type: "module", exports: { "./*": "./adapters/*.ts" } },
      "node_modules/sluice/dist/styles.css": "a {}",
    })
    await mkdir(join(folder, "node_modules/@hono"))
    for (const installed of ["express", "fastify", "hono", "@hono/node-server"]) {
      await symlink(join(root, "node_modules", installed), join(folder, "node_modules", installed), "dir")
    }
    for (const source of ["src", "adapters"]) {
      await symlink(join(root, source), join(folder, "node_modules/sluice", source), "dir")
    }
    const { next: steps } = await init(folder)
    const make = steps.find((step) => step.startsWith("Make server.js:")) ?? ""
    await writeFiles(folder, {
      "server.js": make
        .split("\n")
        .slice(2)
        .map((line) => line.slice(5))
        .join("\n"),
    })
    expect((await readdir(folder)).toSorted()).toContain(type === "module" ? "upload-router.js" : "upload-router.mjs")
    const start = (await init(folder)).next.find((step) => step.startsWith("Start development with: ")) ?? ""
    expect(start).toContain("npx sluice dev -- node server.js\n")

    const port = await freePort()
    const env = { ...process.env, PORT: String(port), SLUICE_TOKEN: "" }
    const child = spawn(process.execPath, ["server.js"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"], env })
    onTestFinished(() => void child.kill("SIGKILL"))
    const get = (path: string) => fetch(`http://localhost:${port}${path}`)
    await vi.waitFor(async () => expect(await (await get("/")).text()).toBe("<p>the page</p>"), { timeout: 20_000 })
    expect((await get("/")).headers.get("content-type")).toContain("text/html")
    expect((await get("/sluice/styles.css")).headers.get("content-type")).toContain("text/css")
    expect((await get("/api/sluice")).headers.get("content-type")).toContain("json")
  })
})
