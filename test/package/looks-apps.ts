import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { repository } from "./consumer.ts"

/** A program of a package of this repository, by its path in there: packages do not export them. */
const program = (path: string) => join(repository, "node_modules", path)
const vite = program("vite/bin/vite.js")

type Files = Readonly<Record<string, string>>

/** A default application of a generator, with the components on its first page. */
export interface LooksApp {
  /** Its generator as people call it, without the download; `undefined` where the generator downloads its template. */
  readonly generate?: ReadonlyArray<string>
  /** Packages of this repository in the place of an installation. */
  readonly links: ReadonlyArray<string>
  /** What people add to the template before they run `sluice init`. */
  readonly setup?: Files
  /** What is written over what the generator made, `init` has run. */
  readonly files: Files
  /** What a template has that cannot be had here. */
  readonly change?: (folder: string) => Promise<void>
  readonly dev: (port: string) => ReadonlyArray<string>
  readonly build: ReadonlyArray<string>
  readonly start: (port: string) => ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Whether its own styles are dark in a dark system. */
  readonly followsSystem: boolean
  /** Where utilities have to win: the inline padding of the dropzone's button. */
  readonly padding?: string
}

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const before = await readFile(file, "utf8")
  const after = change(before)
  if (after === before) throw new Error(`${file} is no longer as it was: what the test changes in it is not there.`)
  await writeFile(file, after)
}

const jsx = (button = "") => `<main style={{ maxWidth: 480, margin: "40px auto", display: "grid", gap: 32 }}>
      <UploadButton endpoint={"anything" as "avatar"} />
      <UploadDropzone endpoint={"anything" as "avatar"} config={{ mode: "auto" }}${button} />
    </main>`

const react = (path: string, client: string, button = ""): Files => ({
  [path]: `import { UploadButton, UploadDropzone } from "${client}"

export default function Page() {
  return (
    ${jsx(button)}
  )
}
`,
})

const viteApp = (
  app: Pick<LooksApp, "generate" | "links" | "files" | "followsSystem"> & Partial<LooksApp>,
): LooksApp => ({
  dev: (port) => [vite, "dev", "--host", "127.0.0.1", "--port", port],
  build: [vite, "build"],
  start: (port) => [vite, "preview", "--host", "127.0.0.1", "--port", port],
  ...app,
  links: ["vite", ...app.links],
})

const createVite = (template: string) => [
  program("create-vite/index.js"),
  "app",
  "--template",
  template,
  "--no-interactive",
  "--no-immediate",
]

/** Applications by name. Those of Next.js and SvelteKit, which cannot do with links, are tried by `npm run newcomer`. */
export const looksApps: Readonly<Record<string, LooksApp>> = {
  "vite-react": viteApp({
    generate: createVite("react-ts"),
    links: ["react", "react-dom", "@vitejs/plugin-react"],
    files: react("src/App.tsx", "./upload-client"),
    followsSystem: true,
  }),
  // As its guide for Vite says.
  "vite-react-tailwind": viteApp({
    generate: createVite("react-ts"),
    links: ["react", "react-dom", "@vitejs/plugin-react", "tailwindcss", "@tailwindcss/vite"],
    files: react("src/App.tsx", "./upload-client", ` appearance={{ button: "px-8" }}`),
    setup: {
      "vite.config.ts": `import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
export default { plugins: [react(), tailwindcss()] }
`,
      "src/index.css": `@import "tailwindcss";\n`,
    },
    followsSystem: false,
    padding: "32px",
  }),
  "vite-react-tailwind-3": viteApp({
    generate: createVite("react-ts"),
    links: ["react", "react-dom", "@vitejs/plugin-react", "tailwindcss3"],
    files: {
      ...react("src/App.tsx", "./upload-client", ` appearance={{ button: "px-8" }}`),
    },
    setup: {
      "tailwind.config.js": `export default { content: ["./src/**/*.tsx"] }\n`,
      "postcss.config.js": `import tailwind from "tailwindcss3"\nexport default { plugins: [tailwind()] }\n`,
      "src/index.css": "@tailwind base;\n@tailwind components;\n@tailwind utilities;\n",
    },
    followsSystem: false,
    padding: "32px",
  }),
  "vite-vue": viteApp({
    generate: createVite("vue-ts"),
    links: ["vue", "@vitejs/plugin-vue"],
    files: {
      "src/App.vue": `<script setup lang="ts">
import { UploadButton, UploadDropzone } from "./upload-client"
</script>

<template>
  <UploadButton endpoint="anything" />
  <UploadDropzone endpoint="anything" :config="{ mode: 'auto' }" />
</template>
`,
    },
    // Its tsconfig extends a package that is not there.
    change: (folder) => edit(join(folder, "tsconfig.app.json"), (text) => text.replace(/"extends":[^,]*,/, "")),
    followsSystem: true,
  }),
  "vite-solid": viteApp({
    generate: createVite("solid-ts"),
    links: ["solid-js", "vite-plugin-solid"],
    files: {
      "src/App.tsx": `import { UploadButton, UploadDropzone } from "./upload-client"

export default function App() {
  return (
    <>
      <UploadButton endpoint={"anything" as "avatar"} />
      <UploadDropzone endpoint={"anything" as "avatar"} config={{ mode: "auto" }} />
    </>
  )
}
`,
    },
    followsSystem: true,
  }),
}
