import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { findUploads } from "../showcase/kept-uploads.ts"
import { nameGuest } from "../showcase/session.ts"
import { logo, texts } from "../showcase/texts.ts"

/** The page of the frameworks that have none of their own: `<sluice-button>` and `<sluice-dropzone>` in plain HTML. */
export const renderPage = async (framework: string, guest: string): Promise<string> => {
  // As text in a script: a `<` could end it.
  const kept = JSON.stringify(await findUploads(guest)).replaceAll("<", "\\u003c")
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${texts.title(framework)}</title>
    <link rel="icon" href="${logo}" />
    <link rel="stylesheet" href="/showcase.css" />
    <script type="module" src="/page.js"></script>
    <script type="application/json" id="kept">${kept}</script>
  </head>
  <body>
    <header class="masthead">
      <img src="${logo}" alt="" />
      <div>
        <h1>${texts.title(framework)}</h1>
        <p>${texts.intro}</p>
      </div>
      <p class="guest">${texts.guest(nameGuest(guest))}</p>
    </header>

    <main class="cards">
      <section class="card avatar" aria-labelledby="avatar-title">
        <h2 id="avatar-title">${texts.avatar.title}</h2>
        <p>${texts.avatar.lead}</p>
        <div class="portrait">
          <span class="nobody" role="img" aria-label="${texts.avatar.none}"></span>
          <sluice-button endpoint="avatar"></sluice-button>
        </div>
      </section>

      <section class="card files" aria-labelledby="files-title">
        <h2 id="files-title">${texts.files.title}</h2>
        <p>${texts.files.lead}</p>
        <sluice-dropzone endpoint="files" mode="auto"></sluice-dropzone>
        <h3 id="stored-title">${texts.files.stored}</h3>
        <ul class="stored" aria-labelledby="stored-title"></ul>
      </section>

      <section class="card document" aria-labelledby="document-title">
        <h2 id="document-title">${texts.document.title}</h2>
        <p>${texts.document.lead}</p>
        <sluice-button endpoint="document"></sluice-button>
        <ul class="stored" aria-labelledby="document-title"></ul>
      </section>
    </main>
  </body>
</html>
`
}

/** Script and styles of the page, made in memory. */
export const bundlePage = async (): Promise<{ readonly script: string; readonly styles: string }> => {
  const source = (path: string) => join(import.meta.dirname, path)
  const [{ outputFiles }, ...styles] = await Promise.all([
    build({
      entryPoints: [source("page.ts")],
      bundle: true,
      write: false,
      format: "esm",
      target: "es2022",
      minify: true,
      logLevel: "error",
    }),
    // This first: it says which layer is above which.
    readFile(source("../showcase/showcase.css"), "utf8"),
    readFile(source("../../src/ui/styles.css"), "utf8"),
  ])
  return { script: outputFiles[0]!.text, styles: styles.join("\n") }
}
