import { join } from "node:path"
import { build } from "esbuild"
import { silentDebugPlugin } from "../../tsup.config.ts"

/** What differs between bundles of one program. */
export interface ProgramBundle {
  /** JavaScript in front of everything else. */
  readonly banner?: string | undefined
  /** Texts that the program knows by these global names. */
  readonly texts?: Readonly<Record<string, string>> | undefined
}

/** One ES module of a program and all it imports, as every runtime can run it; no more than `node:` is left to import. */
export const bundleProgram = async (
  file: string,
  outfile: string,
  { banner = "", texts = {} }: ProgramBundle = {},
): Promise<void> => {
  await build({
    entryPoints: [join(import.meta.dirname, "../..", file)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2023",
    external: ["node:*"],
    banner: { js: banner },
    define: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.stringify(text)])),
    plugins: [silentDebugPlugin],
    logLevel: "error",
  })
}
