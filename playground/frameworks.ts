import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** A framework whose application `npm start -- <name>` starts. */
export interface Framework {
  readonly title: string
  /** Arguments of Node, in the application's folder. */
  readonly commands: (at: { readonly host: string; readonly port: number }) => {
    readonly develop: ReadonlyArray<string>
    /** For production; none where there is nothing to build. */
    readonly build?: ReadonlyArray<string>
    readonly serve: ReadonlyArray<string>
  }
}

const inModules = (path: string): string => join(import.meta.dirname, "../node_modules", path)

const next = inModules("next/dist/bin/next")
const vite = inModules("vite/bin/vite.js")

const server = ["--import", pathToFileURL(join(import.meta.dirname, "resolve-sources.ts")).href, "server.ts"]

/** By the word that stands for it, which is also its folder. */
export const frameworks = {
  next: {
    title: "Next.js",
    commands: ({ host, port }) => {
      const address = ["-H", host, "-p", String(port)]
      return { develop: [next, "dev", ...address], build: [next, "build"], serve: [next, "start", ...address] }
    },
  },
  sveltekit: {
    title: "SvelteKit",
    commands: ({ host, port }) => ({
      develop: [vite, "dev", "--host", host, "--port", String(port), "--strictPort"],
      build: [vite, "build"],
      serve: ["build"],
    }),
  },
  express: { title: "Express", commands: () => ({ develop: server, serve: server }) },
  hono: { title: "Hono", commands: () => ({ develop: server, serve: server }) },
} satisfies Record<string, Framework>

export type FrameworkName = keyof typeof frameworks

export const isFramework = (word: string | undefined): word is FrameworkName =>
  word !== undefined && Object.hasOwn(frameworks, word)
