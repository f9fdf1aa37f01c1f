import { build } from "esbuild"

/** Doors of the client as a classic script that sets a global, for a page or a worker. */
export const bundleDoors = async (doors: ReadonlyArray<string>, globalName: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: doors.map((door) => `export * from "./${door}.ts"`).join("\n"),
      resolveDir: new URL("../../src", import.meta.url).pathname,
    },
    bundle: true,
    write: false,
    format: "iife",
    globalName,
    platform: "browser",
  })
  return outputFiles[0]!.text
}
