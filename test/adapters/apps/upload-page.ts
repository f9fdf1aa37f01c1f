import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { build } from "esbuild"

const root = join(import.meta.dirname, "../../..")

/**
 * A whole page, script and styles in it, with a dropzone for the route `note` of the test router: whatever a framework
 * serves as a static file can be tried in a browser.
 *
 * @param url where the app's route handler answers, path only
 */
export const createUploadPage = async (url: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { defineElements } from "./bindings/element.ts"
        import { createResumeStore } from "./src/resume.ts"
        defineElements({ url: ${JSON.stringify(url)}, resumeStore: createResumeStore() })
        const dropzone = document.querySelector("sluice-dropzone")
        dropzone.addEventListener("upload-complete", ({ detail }) => {
          for (const { serverData } of detail.results) document.querySelector("output").append(serverData.name + " is stored: " + serverData.hash + ". ")
        })
      `,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    logLevel: "error",
  })
  const styles = await readFile(join(root, "src/ui/styles.css"), "utf8")
  // A closing tag within a string of the script would end it.
  const script = outputFiles[0]!.text.replaceAll("</script", "<\\/script")
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>Upload</title>
  <link rel="icon" href="data:," />
  <style>${styles}</style>
  <sluice-dropzone endpoint="note" mode="auto"></sluice-dropzone>
  <output></output>
  <script type="module">${script}</script>
</html>
`
}

/** Puts the page among the static files of an app that is built; git ignores files of this name there. */
export const writeUploadPage = async (file: string, url: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await createUploadPage(url))
}
