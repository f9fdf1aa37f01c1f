import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { transform } from "esbuild"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import type { InitOptions } from "../../src/cli/init/run-init.ts"
import { runInit } from "../../src/cli/init/run-init.ts"
import packageJson from "../../package.json" with { type: "json" }
import { generateUploader } from "../../src/client.ts"
import { findTypeErrors } from "../code-blocks.ts"
import { skipLacking } from "../skip-lacking.ts"
import { type Files, writeFiles } from "../write-files.ts"
import { hasTerminal, lacksTerminal, runAtTerminal } from "./at-terminal.ts"
import { runCommand, startCommand } from "./run-command.ts"

const root = join(import.meta.dirname, "../..")

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-init-"))
})
afterEach(() => rm(folder, { recursive: true }))

const write = (files: Files): Promise<void> => writeFiles(folder, files)

/** Every file of the project, with what is in it. */
const read = async (): Promise<Record<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, "utf8")] as const),
  )
  return Object.fromEntries(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const init = (...args: ReadonlyArray<string>) => runCommand(["init", ...args], { cwd: folder })

/** The same with `--json`, in this process: there are many projects, and a process each takes a while. */
const initJson = async (options: InitOptions) => {
  const print = vi.spyOn(console, "log").mockReturnValue()
  try {
    await runInit(folder, { json: true, ...options })
    expect(print).toHaveBeenCalledTimes(1)
    return JSON.parse(print.mock.calls[0]![0])
  } finally {
    print.mockRestore()
  }
}

/** What a run with `--yes` has added, by path. */
const added = async (): Promise<Record<string, string>> => {
  const before = await read()
  await initJson({ yes: true })
  return Object.fromEntries(Object.entries(await read()).filter(([path]) => !(path in before)))
}

const tsconfig = "{}"

interface Case {
  readonly name: string
  readonly dependencies: ReadonlyArray<string>
  readonly has?: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  /** Of the client helper. */
  readonly library?: string
  readonly isPageOnly?: true
}

const cases: ReadonlyArray<Case> = [
  {
    name: "next",
    dependencies: ["next", "react"],
    has: ["app/page.tsx"],
    writes: ["app/api/sluice/route.ts", "app/api/sluice/router.ts", "lib/upload-client.ts"],
    library: "react",
  },
  {
    name: "next",
    dependencies: ["next", "react"],
    has: ["src/app/page.tsx", "src/pages/old.tsx"],
    writes: ["src/app/api/sluice/route.ts", "src/app/api/sluice/router.ts", "src/lib/upload-client.ts"],
    library: "react",
  },
  {
    name: "next-pages",
    dependencies: ["next", "react"],
    has: ["pages/index.tsx"],
    writes: ["lib/upload-client.ts", "lib/upload-router.ts", "pages/api/sluice.ts"],
    library: "react",
  },
  {
    name: "next-pages",
    dependencies: ["next", "react"],
    has: ["src/pages/index.tsx"],
    writes: ["src/lib/upload-client.ts", "src/lib/upload-router.ts", "src/pages/api/sluice.ts"],
    library: "react",
  },
  {
    name: "sveltekit",
    dependencies: ["@sveltejs/kit", "svelte"],
    writes: ["src/lib/server/upload-router.ts", "src/lib/upload-client.ts", "src/routes/api/sluice/+server.ts"],
    library: "svelte",
  },
  {
    name: "nuxt",
    dependencies: ["nuxt"],
    has: ["app/app.vue"],
    writes: ["app/lib/upload-client.ts", "server/api/sluice.ts", "server/upload-router.ts"],
    library: "vue",
  },
  {
    name: "nuxt",
    dependencies: ["nuxt", "h3"],
    has: ["app.vue"],
    writes: ["lib/upload-client.ts", "server/api/sluice.ts", "server/upload-router.ts"],
    library: "vue",
  },
  {
    name: "astro",
    dependencies: ["astro"],
    writes: ["src/lib/upload-client.ts", "src/lib/upload-router.ts", "src/pages/api/sluice.ts"],
    library: "client",
  },
  {
    name: "astro",
    dependencies: ["astro", "@astrojs/vue", "vue"],
    writes: ["src/lib/upload-client.ts", "src/lib/upload-router.ts", "src/pages/api/sluice.ts"],
    library: "vue",
  },
  {
    name: "react-router",
    dependencies: ["@react-router/dev", "react-router", "react", "express"],
    writes: ["app/routes/api.sluice.ts", "app/upload-client.ts", "app/upload-router.server.ts"],
    library: "react",
  },
  {
    name: "tanstack-start",
    dependencies: ["@tanstack/react-start", "react"],
    writes: ["src/lib/upload-client.ts", "src/lib/upload-router.ts", "src/routes/api/sluice.ts"],
    library: "react",
  },
  {
    name: "solid-start",
    dependencies: ["@solidjs/start", "solid-js"],
    writes: ["src/lib/upload-client.ts", "src/lib/upload-router.ts", "src/routes/api/sluice.ts"],
    library: "solid",
  },
  ...["express", "fastify", "hono"].map((name) => ({
    name,
    dependencies: [name],
    has: ["src/server.ts"],
    writes: ["src/upload-router.ts"],
  })),
  ...["express", "fastify", "hono", "elysia", "h3"].map((name) => ({
    name,
    dependencies: [name, "esbuild"],
    has: ["src/server.ts"],
    writes: ["src/upload-client.ts", "src/upload-router.ts"],
    library: "client",
  })),
  {
    name: "express",
    dependencies: ["express", "svelte"],
    writes: ["upload-client.ts", "upload-router.ts"],
    library: "svelte",
  },
  { name: "node", dependencies: [], writes: ["upload-router.ts"] },
  { name: "node", dependencies: ["react"], writes: ["upload-client.ts", "upload-router.ts"], library: "react" },
  {
    name: "express",
    dependencies: ["express", "vite", "react"],
    has: ["index.html"],
    writes: ["upload-client.ts", "upload-router.ts"],
    library: "react",
  },
  ...["react", "vue", "svelte", "solid-js"].map((name) => ({
    name: "vite",
    dependencies: ["vite", name],
    has: ["index.html", "src/main.ts"],
    writes: ["src/upload-client.ts"],
    library: name.replace("-js", ""),
    isPageOnly: true as const,
  })),
  {
    name: "vite",
    dependencies: ["vite"],
    has: ["index.html"],
    writes: ["upload-client.ts"],
    library: "client",
    isPageOnly: true,
  },
  {
    name: "vite",
    dependencies: ["@angular/build"],
    has: ["src/index.html", "src/main.ts"],
    writes: ["src/upload-client.ts"],
    library: "client",
    isPageOnly: true,
  },
  {
    name: "express",
    dependencies: ["@nestjs/core", "@nestjs/platform-express"],
    has: ["src/main.ts"],
    writes: ["src/upload-client.ts", "src/upload-router.ts"],
    library: "client",
  },
  {
    name: "fastify",
    dependencies: ["@nestjs/core", "@nestjs/platform-fastify"],
    has: ["src/main.ts"],
    writes: ["src/upload-client.ts", "src/upload-router.ts"],
    library: "client",
  },
  {
    name: "node",
    dependencies: ["vite"],
    has: ["server.ts"],
    writes: ["upload-client.ts", "upload-router.ts"],
    library: "client",
  },
]

const toProject = ({ dependencies, has = [] }: Case): Files => ({
  "package.json": {
    type: "module",
    scripts: { dev: "run it" },
    dependencies: Object.fromEntries(dependencies.map((name) => [name, "*"])),
  },
  ...Object.fromEntries(has.map((path) => [path, ""])),
})

describe("sluice init writes into a project of", () => {
  it.each(cases)("$name ($has): $writes", async (project) => {
    await write({ ...toProject(project), "tsconfig.json": tsconfig })
    const before = await read()
    const dry = await initJson({ dryRun: true })
    expect(await read()).toEqual(before)
    const files = await added()
    expect(dry).toMatchObject({ framework: project.name, language: "ts", packageManager: expect.any(String) })
    expect(Object.keys(files)).toEqual(project.writes)
    const client = project.writes.find((path) => path.includes("upload-client"))
    if (client !== undefined) expect(files[client]).toContain(`from "sluice/${project.library}"`)
    expect(dry.markup?.includes("<sluice-button") ?? false).toBe(client === undefined)
    const { isPageOnly = false } = project
    expect(JSON.parse((await read())["package.json"]!).scripts).toEqual({
      dev: isPageOnly ? "run it" : "sluice dev -- run it",
    })

    const after = await read()
    const again = await initJson({ yes: true })
    expect(again.files.filter(({ isNew }: { isNew: boolean }) => isNew)).toEqual([])
    expect(again.devScript.action).toBe(isPageOnly ? "elsewhere" : "kept")
    expect(await read()).toEqual(after)
  })

  it.each(cases)("$name without TypeScript ($has): JavaScript and nothing of TypeScript", async (project) => {
    await write(
      toProject({ ...project, ...(project.has && { has: project.has.map((path) => path.replace(/\.ts$/, ".js")) }) }),
    )
    const files = await added()
    expect(Object.keys(files)).toEqual(project.writes.map((path) => path.replace(/\.ts$/, ".js")).toSorted())
    for (const [path, code] of Object.entries(files)) {
      await expect(transform(code, { loader: "js" }), path).resolves.toBeDefined()
      expect(code, path).not.toMatch(/typeof router|FileRouter|import type/)
    }
  })
})

describe("sluice init", () => {
  it("writes TypeScript that type-checks, whatever the layout", async () => {
    const files = new Map([["styles.d.ts", `declare module "*.css"`]])
    const layouts: ReadonlyArray<readonly [string, Files]> = [
      [
        "next-src",
        { "package.json": { dependencies: { next: "*" } }, "src/app/page.tsx": "", "tsconfig.json": tsconfig },
      ],
      ["sveltekit", { "package.json": { dependencies: { "@sveltejs/kit": "*" } }, "tsconfig.json": tsconfig }],
      [
        "express-js-endings",
        {
          "package.json": { dependencies: { express: "*" }, scripts: { build: "tsc" } },
          "src/app.ts": "",
          "tsconfig.json": tsconfig,
        },
      ],
      [
        "hono-no-endings",
        {
          "package.json": { dependencies: { hono: "*", react: "*" } },
          "tsconfig.json": `{ "compilerOptions": { /* as Vite says */ "moduleResolution": "bundler", } }`,
        },
      ],
      ...["react", "vue", "svelte", "solid-js", "none"].map(
        (name) =>
          [
            `vite-${name}`,
            {
              "package.json": { dependencies: { vite: "*", [name]: "*" } },
              "tsconfig.json": tsconfig,
              "index.html": "",
            },
          ] as const,
      ),
      [
        "node",
        { "package.json": {}, "tsconfig.json": `{ "compilerOptions": { "allowImportingTsExtensions": true } }` },
      ],
    ]
    for (const [name, project] of layouts) {
      await rm(folder, { recursive: true })
      await mkdir(folder)
      await write(project)
      for (const [path, code] of Object.entries(await added())) files.set(join(name, path), code)
    }
    expect(files.size).toBeGreaterThan(10)
    expect(await findTypeErrors(files)).toEqual([])
  }, 120_000)

  it("never writes over a file, also not beside its twin of another ending", async () => {
    const theirs = { "lib/upload-client.ts": "// mine", "app/api/sluice/route.js": "// mine too" }
    await write({ "package.json": { dependencies: { next: "*" } }, "tsconfig.json": tsconfig, ...theirs })
    const { code, stdout } = await init("--yes")
    expect(code).toBe(0)
    expect(stdout).toContain("lib/upload-client.ts is there and is left as it is.")
    expect(stdout).toContain(
      "app/api/sluice/route.js is there (in the place of app/api/sluice/route.ts) and is left as it is.",
    )
    const after = await read()
    expect(after).toMatchObject(theirs)
    expect(Object.keys(after)).toEqual([
      "app/api/sluice/route.js",
      "app/api/sluice/router.ts",
      "lib/upload-client.ts",
      "package.json",
      "tsconfig.json",
    ])
  })

  it("shows whole new files, and of package.json the lines that change", async () => {
    await write({
      "package.json": `{\n  "name": "x",\n  "scripts": {\n    "dev": "next dev",\n    "build": "next build"\n  },\n  "dependencies": { "next": "16" }\n}\n`,
      "app/page.js": "",
    })
    const { code, stdout } = await init("--dry-run")
    expect(code).toBe(0)
    expect(stdout).toContain(
      [
        "app/api/sluice/route.js (new)",
        `+ import { createRouteHandler } from "sluice/next"`,
        `+ import { router } from "./router"`,
        "+",
        "+ export const { GET, POST } = createRouteHandler({ router })",
      ].join("\n"),
    )
    // And what is left to do, where a wrong framework shows.
    expect(stdout).toMatch(/dry run\.[^]*\bNext\b[^]*frameworks\/next\.md/)
    expect(stdout).toContain(
      [
        "package.json",
        "@@ -2,5 +2,5 @@",
        `    "name": "x",`,
        `    "scripts": {`,
        `-     "dev": "next dev",`,
        `+     "dev": "sluice dev -- next dev",`,
        `      "build": "next build"`,
        "    },",
      ].join("\n"),
    )
  })

  it("writes nothing where there is no terminal to ask at, and says how", async () => {
    await write({ "package.json": { scripts: { dev: "next dev" }, dependencies: { next: "*" } } })
    const before = await read()
    const { code, stderr } = await init()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "sluice: There is no terminal to ask on, so nothing was written. Add --yes to write this.\n",
    })
    expect((await init("--json")).stderr).toContain("--json asks nothing")
    expect(await read()).toEqual(before)
  })

  it.for([
    ["y\n", 0, true],
    ["n\n", 1, false],
    ["\n", 1, false],
    ["\u0003", 1, false],
    ["\u0004", 1, false],
  ] as const)("asks at a terminal; %j ends with code %i, written: %s", async ([keys, expected, isWritten], test) => {
    if (!hasTerminal) return skipLacking(test, lacksTerminal)
    await write({ "package.json": { dependencies: { next: "*" } } })
    const { code, stdout } = await runAtTerminal(["init"], keys, { cwd: folder })
    expect({
      code,
      isWritten: "app" in Object.fromEntries((await readdir(folder)).map((name) => [name, true])),
    }).toEqual({
      code: expected,
      isWritten,
    })
    expect(stdout).toContain("Write this? [y/N]")
    expect(stdout).toContain(isWritten ? "Written." : "Nothing was written.")
  })

  it("says what is next, with the package manager of the project", async () => {
    await write({
      "package.json": { workspaces: ["packages/*"], packageManager: "pnpm@10.1.0" },
      "packages/web/package.json": {
        type: "module",
        scripts: { dev: "node server.js" },
        dependencies: { express: "5" },
      },
      "packages/web/server.js": "",
    })
    const { stdout } = await runCommand(["init", "--yes"], { cwd: join(folder, "packages/web") })
    const [, next] = stdout.split("\nNext\n")
    expect(next).toBe(`  1. Install the package: pnpm add <path>/sluice-${packageJson.version}.tgz
     It is not on npm yet: \`npm ci && npm pack\` in a clone of Sluice makes that file.
  2. Add to server.js:

     import { uploads } from "./upload-router.js"

     app.use("/api/sluice", uploads) // before express.json()
     app.use("/sluice", express.static("node_modules/sluice/dist"))

  3. Say who may upload, in the middleware of upload-router.js: as it stands, anybody may.
  4. Put the component on a page:

     <link rel="stylesheet" href="/sluice/styles.css" />
     <script type="module" src="/sluice/element.js"></script>
     <sluice-button endpoint="avatar"></sluice-button>

  5. pnpm run dev
  6. Check it while that runs: npx sluice doctor
  7. For production set SLUICE_CALLBACK_URL to where the ingest reaches your app, such as https://app.example/api/sluice: without it no upload is signed there.

  More: node_modules/sluice/docs/frameworks/express.md
`)
    expect(Object.keys(await read()).filter((path) => !path.startsWith("packages/web/"))).toEqual(["package.json"])
  })

  it.each([
    ["package-lock.json", "npm"],
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    ["bun.lock", "bun"],
    ["deno.lock", "deno"],
  ])("knows by %s that the project is one of %s", async (lock, name) => {
    await write({ "package.json": {}, [lock]: "" })
    expect((await initJson({ dryRun: true })).packageManager).toBe(name)
  })

  it("leaves out what is done: the package, the line in the server", async () => {
    await write({
      "package.json": { type: "module", dependencies: { express: "5", sluice: "1" } },
      "server.js": `import { uploads } from "./upload-router.js"`,
    })
    const { stdout } = await init("--yes")
    expect(stdout).not.toContain("Install")
    expect(stdout).not.toContain("Add to")
  })

  it("finds the server again once its command has moved to a script of its own", async () => {
    await write({
      "package.json": { type: "module", scripts: { dev: "tsc && node api/start.js" }, dependencies: { express: "5" } },
      "api/start.js": "",
    })
    expect(Object.keys(await added())).toEqual(["api/upload-router.js"])
    expect(await added()).toEqual({})
  })

  it("gives CommonJS a module to require", async () => {
    await write({ "package.json": { main: "lib/app.js", dependencies: { express: "4" } }, "lib/app.js": "" })
    const { mount } = await initJson({ yes: true })
    expect(mount).toEqual({
      file: "lib/app.js",
      code: `const { uploads } = require("./upload-router.mjs")\n\napp.use("/api/sluice", uploads) // before express.json()\napp.use("/sluice", express.static("node_modules/sluice/dist"))`,
    })
    expect(Object.keys(await read())).toContain("lib/upload-router.mjs")
  })

  it.each([
    ["commonjs", true],
    ["module", false],
    [undefined, false],
  ])("says that Node runs no TypeScript with imports where package.json has the type %s: %s", async (type, isSaid) => {
    const scripts = { dev: "node server.ts" }
    await write({ "package.json": { type, scripts, dependencies: { express: "5", typescript: "6" } }, "server.ts": "" })
    const { code, stdout } = await init("--yes")
    expect([code, stdout.includes('Set "type": "module" in package.json')]).toEqual([0, isSaid])
  })

  it.each(["AGENTS.md", "app/globals.css"])("leaves %s alone where it is not UTF-8", async (path) => {
    const text = path.endsWith(".css") ? '@import "tailwindcss"; /* caf\u00e9 */' : "# Caf\u00e9"
    await write({ "package.json": { dependencies: { next: "16", react: "19", tailwindcss: "4" } }, "app/page.tsx": "" })
    const bytes = Buffer.from(text, "latin1")
    await writeFile(join(folder, path), bytes)
    await initJson({ yes: true })
    expect(await readFile(join(folder, path))).toEqual(bytes)
  })

  it("does not ask for a route that React Router finds by its file", async () => {
    const dependencies = { "@react-router/dev": "8" }
    await write({ "package.json": { dependencies }, "app/routes.ts": `export default flatRoutes()` })
    expect((await initJson({ dryRun: true })).mount).toBeNull()
    await write({ "app/routes.ts": `export default [index("home.tsx")]` })
    expect((await initJson({ dryRun: true })).mount.code).toContain(`route("api/sluice"`)
  })
})

describe("sluice init and package.json", () => {
  const devScript = async (manifest: string): Promise<string> => {
    await write({ "package.json": manifest })
    await initJson({ yes: true })
    return (await read())["package.json"]!
  }

  it.each([
    ["tabs and no newline at the end", `{\n\t"scripts": {\n\t\t"dev": "OLD"\n\t}\n}`],
    [
      "four spaces, lists on one line",
      `{\n    "files": ["a", "b"],\n    "scripts": { "test": "x", "dev": "OLD" }\n}\n`,
    ],
    ["Windows line ends", `{\r\n  "scripts": {\r\n    "dev": "OLD"\r\n  }\r\n}\r\n`],
    ["a byte order mark", `\uFEFF{ "scripts": { "dev": "OLD" } }`],
    ["one line", `{"scripts":{"dev":"OLD"},"name":"x"}`],
    [
      "other keys called dev and scripts",
      `{ "dev": "no", "x": { "scripts": { "dev": "no" } }, "scripts": { "a": "dev", "dev": "OLD" }, "y": [{ "dev": "no" }, "scripts", "dev"] }`,
    ],
    ["a key that is there twice", `{ "scripts": { "dev": "no" }, "scripts": { "dev": "no either", "dev": "OLD" } }`],
    ["escapes in keys and strings", `{ "\\"scripts\\": {": "{[,:", "s\\u0063ripts": { "\\u0064ev": "OLD" } }`],
  ])("changes one string and no other byte: %s", async (_name, manifest) => {
    expect(await devScript(manifest.replace("OLD", "vite dev"))).toBe(manifest.replace("OLD", "sluice dev -- vite dev"))
  })

  it.each([
    [
      "PORT=3000 NODE_OPTIONS='--inspect=0 -r x' next dev",
      "PORT=3000 NODE_OPTIONS='--inspect=0 -r x' sluice dev -- next dev",
    ],
    [`node "my server.js" --title "a && b"`, `sluice dev -- node "my server.js" --title "a && b"`],
    ["next dev -p ${PORT:-3000}", "sluice dev -- next dev -p ${PORT:-3000}"],
  ])("puts sluice dev in front of %s", async (before, after) => {
    const manifest = JSON.parse(await devScript(JSON.stringify({ scripts: { dev: before } })))
    expect(manifest.scripts).toEqual({ dev: after })
  })

  it.each([
    "tsc && node server.js",
    "vite & node server.js",
    "a; b",
    "node server.js | pino-pretty",
    "node $(which x)",
  ])("moves several commands to a script of their own: %s", async (before) => {
    const manifest = `{\n\t"scripts": {\n\t\t"dev": ${JSON.stringify(before)},\n\t\t"b": "c"\n\t}\n}\n`
    expect(await devScript(manifest)).toBe(
      `{\n\t"scripts": {\n\t\t"dev": "sluice dev -- npm run dev:app",\n\t\t"dev:app": ${JSON.stringify(before)},\n\t\t"b": "c"\n\t}\n}\n`,
    )
  })

  it("leaves it alone where that script's name is taken, and says what to do", async () => {
    await write({ "package.json": { scripts: { dev: "a && b", "dev:app": "c" } } })
    const before = (await read())["package.json"]
    const { code, stdout } = await init("--yes")
    expect({ code, after: (await read())["package.json"] }).toEqual({ code: 0, after: before })
    expect(stdout).toContain("package.json stays as it is: its script dev is several commands, and dev:app is taken.")
  })

  it.each([
    ["no scripts", {}],
    ["no dev", { scripts: { build: "x" } }],
    ["scripts that are none", { scripts: "x" }],
    ["a dev that is none", { scripts: { dev: ["x"] } }],
    ["an empty dev", { scripts: { dev: " " } }],
    ["dependencies that are none", { dependencies: ["next"], devDependencies: null, packageManager: 7, main: {} }],
    ["a name of Object.prototype", { scripts: { __proto__: null, constructor: "x" } }],
  ])("leaves it alone where it has %s", async (_name, manifest) => {
    await write({ "package.json": manifest })
    const before = (await read())["package.json"]
    const { code, stdout } = await init("--yes")
    expect({ code, after: (await read())["package.json"] }).toEqual({ code: 0, after: before })
    expect(stdout).toContain("npx sluice dev -- node server.js")
  })

  it.each([
    ["is missing", undefined, "There is no package.json in "],
    ["is no JSON", `{ "scripts": `, "package.json is not valid JSON: "],
    ["is a list", "[]", "package.json is not a package.json: it holds no object."],
    ["is empty", "", "package.json is not valid JSON: "],
    ["is huge", `{ "x": "${"x".repeat(1024 * 1024)}" }`, "package.json is larger than 1 MiB."],
  ])("says in a sentence that it %s", async (_name, content, message) => {
    if (content !== undefined) await write({ "package.json": content })
    const before = await read()
    const { code, stdout, stderr } = await init("--yes")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(message)
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(await read()).toEqual(before)
  })

  it("shows what others wrote into it without letting it reach the terminal", async () => {
    await write({ "package.json": { scripts: { dev: "node \u001b[2J \u009b31m.js" } } })
    const { stdout } = await init("--dry-run")
    expect(stdout).not.toMatch(/[\u001b\u009b]/)
  })
})

describe("sluice init and frameworks", () => {
  it("asks to choose where there are two, and takes the one that is said", async () => {
    await write({ "package.json": { type: "module", dependencies: { express: "5", fastify: "5" } } })
    const { code, stderr } = await init("--yes")
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "sluice: This project has Express and Fastify. Say which one takes the uploads: --framework express or --framework fastify.\n",
    })
    expect((await initJson({ yes: true, framework: "fastify" })).framework).toBe("fastify")
    expect((await read())["upload-router.js"]).toContain(`from "sluice/fastify"`)
  })

  it("refuses one it does not know", async () => {
    await write({ "package.json": {} })
    const { code, stderr } = await init("--framework", "angular")
    expect(code).toBe(2)
    expect(stderr).toContain("Allowed choices are next, next-pages, sveltekit")
  })

  it("knows one by its configuration where a workspace has the package at its root", async () => {
    await write({ "package.json": {}, "astro.config.mjs": "" })
    expect((await initJson({ dryRun: true })).framework).toBe("astro")
  })

  it("says which file is in the way, and does the rest when it is gone", async (test) => {
    if (process.platform === "win32") return skipLacking(test, "Windows says something else of a file in the way.")
    await write({ "package.json": { dependencies: { next: "*" } }, lib: "a file" })
    const { code, stderr } = await init("--yes")
    expect(code).toBe(1)
    expect(stderr).toBe(
      "sluice: lib/upload-client.js cannot be written: a file of that name is in the way. Run `sluice init` again for what is missing.\n",
    )
    await rm(join(folder, "lib"))
    expect(Object.keys(await added())).toEqual(["lib/upload-client.js"])
  })
})

/** Who runs a server's TypeScript, and how imports then end. */
const runners: ReadonlyArray<readonly [what: string, project: Files, ending: string, isTold: boolean]> = [
  [
    "node --watch",
    { "package.json": { scripts: { dev: "node --watch server.ts" } }, "tsconfig.json": tsconfig },
    ".ts",
    true,
  ],
  [
    "node with options and variables",
    {
      "package.json": { scripts: { start: "PORT=3 node --env-file .env --import ./trace.js src/server.ts" } },
      "tsconfig.json": tsconfig,
    },
    ".ts",
    true,
  ],
  [
    "node in development, and a build of tsc",
    {
      "package.json": { scripts: { dev: "node --watch server.ts", build: "tsc", start: "node dist/server.js" } },
      "tsconfig.json": tsconfig,
    },
    ".ts",
    true,
  ],
  ["nobody that the project names", { "package.json": {}, "tsconfig.json": tsconfig }, ".ts", true],
  [
    "whoever runs imports of .ts",
    {
      "package.json": {},
      "server.ts": 'import { db } from "./db.ts"',
      "tsconfig.json": `{ "compilerOptions": { "outDir": "out" } }`,
    },
    ".ts",
    true,
  ],
  [
    "node, with a bundler's resolution",
    {
      "package.json": { scripts: { dev: "node server.ts" } },
      "tsconfig.json": `{ "compilerOptions": { "moduleResolution": "bundler" } }`,
    },
    ".ts",
    true,
  ],
  [
    "a bundler's modules, as Angular has them",
    {
      "package.json": { dependencies: { express: "5" }, scripts: { dev: "ng serve" } },
      "tsconfig.json": `{ "compilerOptions": { "module": "preserve" } }`,
    },
    "",
    false,
  ],
  [
    "node, as tsconfig.json knows",
    {
      "package.json": { scripts: { dev: "node server.ts" } },
      "tsconfig.json": `{ "compilerOptions": { "rewriteRelativeImportExtensions": true } }`,
    },
    ".ts",
    false,
  ],
  [
    "node, as a tsconfig.json knows that is extended",
    {
      "package.json": {},
      "tsconfig.json": `{ "extends": "./base" }`,
      "base.json": `{ "compilerOptions": { "allowImportingTsExtensions": true } }`,
    },
    ".ts",
    false,
  ],
  ["tsx", { "package.json": { scripts: { dev: "tsx watch server.ts" } }, "tsconfig.json": tsconfig }, ".js", false],
  [
    "node with tsx",
    { "package.json": { scripts: { dev: "node --import tsx server.ts" } }, "tsconfig.json": tsconfig },
    ".js",
    false,
  ],
  [
    "node with ts-node",
    { "package.json": { scripts: { dev: "node --loader ts-node/esm server.ts" } }, "tsconfig.json": tsconfig },
    ".js",
    false,
  ],
  [
    "tsc",
    { "package.json": { scripts: { build: "tsc", start: "node dist/server.js" } }, "tsconfig.json": tsconfig },
    ".js",
    false,
  ],
  ["tsx, installed", { "package.json": { devDependencies: { tsx: "4" } }, "tsconfig.json": tsconfig }, ".js", false],
  [
    "tsc, where tsconfig.json has all settings in comments",
    {
      "package.json": { scripts: { build: "tsc -p ." } },
      "tsconfig.json": `{ "compilerOptions": {\n // "allowImportingTsExtensions": true,\n /* "rewriteRelativeImportExtensions": true, */ "paths": { "//": ["x"] } } }`,
    },
    ".js",
    false,
  ],
]

describe("the imports that sluice init writes into a server", () => {
  it.each(runners)("are such as can be run by %s", async (_, project, ending, isTold) => {
    const manifest = project["package.json"] as Record<string, unknown>
    await write({
      ...project,
      "package.json": { type: "module", ...manifest, dependencies: { express: "5", vite: "8" } },
    })
    const { stdout } = await init("--yes")
    expect(stdout).toContain(`import { uploads } from "./upload-router${ending}"`)
    expect(stdout.includes('"rewriteRelativeImportExtensions": true')).toBe(isTold)
    const client = Object.entries(await read()).find(([path]) => path.endsWith("upload-client.ts"))
    expect(client?.[1]).toContain(`import type { router } from "./upload-router${ending}"`)
  })
})

describe("sluice init and a file for assistants", () => {
  const nextApp = { "package.json": { dependencies: { next: "*" } }, "app/page.tsx": "", "tsconfig.json": tsconfig }

  it("shows the three lines it adds, and adds them once", async () => {
    await write({ ...nextApp, "AGENTS.md": "# Rules\n\nBe kind.\n", "CLAUDE.md": "@AGENTS.md\n" })
    const { stdout } = await init("--dry-run")
    const shown = stdout.split("\nAGENTS.md\n")[1] ?? ""
    const lines = shown.split("\n").filter((line) => line.startsWith("+ - "))
    expect(lines).toHaveLength(3)
    expect((await read())["AGENTS.md"]).toBe("# Rules\n\nBe kind.\n")
    expect((await initJson({ yes: true })).edits).toEqual([{ path: "AGENTS.md" }])
    const { "AGENTS.md": after, "CLAUDE.md": other } = await read()
    expect(after).toBe(`# Rules\n\nBe kind.\n\n${lines.map((line) => line.slice(2)).join("\n")}\n`)
    expect(after).toContain("node_modules/sluice/docs/frameworks/next.md")
    expect(after).toContain("app/api/sluice/router.ts")
    expect(other).toBe("@AGENTS.md\n")
    expect((await initJson({ yes: true })).edits).toEqual([])
    expect((await read())["AGENTS.md"]).toBe(after)
  })

  it("takes CLAUDE.md where that is alone, with the ends of lines it has", async () => {
    await write({ ...nextApp, "CLAUDE.md": "Be kind.\r\nBe brief." })
    await initJson({ yes: true })
    const { "CLAUDE.md": after = "" } = await read()
    expect(after).toMatch(/^Be kind\.\r\nBe brief\.\r\n\r\n- /)
    expect(after.replaceAll("\r\n", "")).not.toContain("\n")
  })

  it("makes none, and leaves one that speaks of Sluice as it is", async () => {
    await write(nextApp)
    expect((await initJson({ yes: true })).edits).toEqual([])
    await write({ "AGENTS.md": "Uploads: Sluice, see there." })
    expect((await initJson({ yes: true })).edits).toEqual([])
  })
})

describe("sluice init in a page without a server", () => {
  it("says where the server goes, and names only files that a user has", async () => {
    await write({
      "package.json": { scripts: { dev: "vite" }, devDependencies: { vite: "8" }, dependencies: { react: "19" } },
      "index.html": "",
      "src/main.jsx": "",
    })
    const { stdout } = await init("--yes")
    expect(stdout).toContain("a page without a server")
    const [, next = ""] = stdout.split("\nNext\n")
    expect(next).toContain("Write the server: `npx sluice init` in its project")
    expect(next).toContain(`server: { proxy: { "/api/sluice": "http://localhost:3000" } }`)
    expect(next).not.toContain("middleware")
    for (const [path] of next.matchAll(/node_modules\/sluice\/[\w/.-]+\.md/g)) {
      expect(await readFile(join(root, path.slice("node_modules/sluice/".length)), "utf8")).toMatch(/^# /)
    }
    expect(next).toMatch(/More: node_modules\/sluice\/docs\/frameworks\/vite\.md\n$/)
  })
})

/** What a server of each framework has around the lines that are added. */
const servers = {
  express: `import express from "express"
IMPORTS
const app = express()
MOUNT
const server = app.listen(0, "127.0.0.1", () => tell(server.address().port))`,
  fastify: `import fastify from "fastify"
IMPORTS
const app = fastify()
MOUNT
app.listen({ port: 0, host: "127.0.0.1" }).then(() => tell(app.server.address().port))`,
  hono: `import { serve } from "@hono/node-server"
import { Hono } from "hono"
IMPORTS
const app = new Hono()
MOUNT
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => tell(port))`,
  node: `import { createServer } from "node:http"
IMPORTS
const server = MOUNT
server.listen(0, "127.0.0.1", () => tell(server.address().port))`,
}

describe("what sluice init has people add to a server without a bundler", () => {
  it.each(Object.entries(servers))("serves the components to a page: %s", async (name, around) => {
    const dependencies: Record<string, string> = name === "node" ? {} : { [name]: "1" }
    await write({
      "package.json": { type: "module", dependencies },
      "node_modules/sluice/package.json": { type: "module", exports: { "./*": "./adapters/*.ts" } },
      "node_modules/sluice/dist/element.js": `import "./chunk-A1.js"`,
      "node_modules/sluice/dist/chunk-A1.js": "export {}",
      "node_modules/sluice/dist/styles.css": "a {}",
    })
    for (const folderName of ["src", "adapters"]) {
      await symlink(join(root, folderName), join(folder, "node_modules/sluice", folderName), "dir")
    }
    await mkdir(join(folder, "node_modules/@hono"))
    for (const installed of ["express", "fastify", "hono", "@hono/node-server"]) {
      await symlink(join(root, "node_modules", installed), join(folder, "node_modules", installed), "dir")
    }
    const { mount, markup } = await initJson({ yes: true })
    const [imports, added] = mount.code.split("\n\n")
    const server = around
      .replace("IMPORTS", imports)
      .replace("MOUNT", () => added.replace("// …", "res.writeHead(404).end()"))
    await write({ "start.js": `const tell = (port) => console.log(JSON.stringify({ port }))\n${server}\n` })
    const child = spawn(process.execPath, ["start.js"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const [told] = await once(child.stdout, "data")
    const base = `http://127.0.0.1:${JSON.parse(String(told)).port}`
    const get = async (path: string) => {
      const response = await fetch(base + path)
      return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
    }
    for (const [, path] of markup.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect((await get(path)).type).toMatch(path.endsWith(".js") ? /javascript/ : /text\/css/)
    }
    expect(await get("/sluice/chunk-A1.js")).toMatchObject({ status: 200, text: "export {}" })
    for (const path of ["/sluice/missing.js", "/sluice/..%2fpackage.json", "/sluice/../package.json", "/elsewhere"]) {
      expect((await get(path)).text).not.toContain("exports")
      expect((await get(path)).status, path).toBeGreaterThanOrEqual(400)
    }
    expect((await get("/sluice/element.js")).status).toBe(200)
  })
})

describe("what sluice init writes", () => {
  it("uploads a file: an Express app, started by the script dev", async () => {
    await write({
      "package.json": { type: "module", scripts: { dev: "node --watch server.ts" }, dependencies: { express: "5" } },
      "tsconfig.json": tsconfig,
      "server.ts": "",
      "node_modules/sluice/package.json": { type: "module", exports: { "./express": "./adapters/express.ts" } },
    })
    for (const name of ["src", "adapters"]) {
      await symlink(join(root, name), join(folder, "node_modules/sluice", name), "dir")
    }
    await symlink(join(root, "node_modules/express"), join(folder, "node_modules/express"), "dir")
    const shown = await init("--json", "--yes")
    const [imports, use] = JSON.parse(shown.stdout).mount.code.split("\n\n")
    await write({
      "server.ts": `import express from "express"
${imports}
const app = express()
${use}
app.use(express.json())
const server = app.listen(0, () => console.log(JSON.stringify({ port: server.address().port })))
`,
    })
    const [command, ...args] = JSON.parse((await read())["package.json"]!).scripts.dev.split(" ")
    expect(command).toBe("sluice")
    const dev = startCommand(args, {
      cwd: folder,
      env: { SLUICE_PORT: "0", PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` },
    })
    onTestFinished(async () => {
      dev.child.kill("SIGTERM")
      await dev.ended
    })
    const { port } = JSON.parse(await dev.line((line) => line.startsWith("{")))
    const { uploadFiles } = generateUploader<any>({ url: `http://127.0.0.1:${port}/api/sluice` })
    const picture = new File([new Uint8Array([1, 2, 3])], "me.png", { type: "image/png" })
    const [result] = await uploadFiles("avatar", { files: [picture] })
    expect(result).toMatchObject({ status: "done", serverData: { url: expect.stringMatching(/^http:/) } })
    const { url } = (result as { serverData: { url: string } }).serverData
    expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
    await dev.line((line) => line.includes("me.png is stored at "))
  })
})
