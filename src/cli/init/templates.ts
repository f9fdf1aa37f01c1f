import type { Template } from "./framework.ts"
import type { Library } from "./read-project.ts"

/** What differs from framework to framework in a file router. */
export interface RouterDetails {
  readonly door: string
  /** The fields of its argument that the middleware uses. */
  readonly argument: string
  /** Reads a cookie, or all of them. */
  readonly session: string
  /** Whether the module also makes the handler, for a server to mount. */
  readonly hasHandler?: boolean
}

/** Stays in a router's file until its owner has decided who may upload. */
export const placeholder = "As it stands, anybody may upload."

/** The file router. */
export const toRouter = (path: string, { door, argument, session, hasHandler = false }: RouterDetails): Template => ({
  path,
  text: `import { ${hasHandler ? "createRouteHandler, " : ""}createSluice, type FileRouter } from "sluice/${door}"

const f = createSluice()

export const router = {
  avatar: f({ image: { maxFileSize: "4MB" } })
    .middleware(({ ${argument} }) => {
      // ${placeholder} Look the session up; to refuse, import UploadError of sluice/${door} too:
      // throw new UploadError("Sign in first.")
      const session = ${session}
      return { isSignedIn: Boolean(session) }
    })
    .onUploadComplete(({ metadata, file }) => {
      console.log(\`\${file.name} is stored at \${file.url}\`, metadata)
      return { url: file.url } // reaches the browser as serverData
    }),
} satisfies FileRouter
${hasHandler ? "\nexport const uploads = createRouteHandler({ router })\n" : ""}`,
})

/** The route file of a framework that expects `{ GET, POST }`. */
export const toRoute = (
  path: string,
  door: string,
  router: string,
  exported = "export const { GET, POST } = createRouteHandler({ router })",
): Template => ({
  path,
  text: `import { createRouteHandler } from "sluice/${door}"
import { router } from "${router}"

${exported}
`,
})

/** All components of an app, each as a call that bundlers leave out where no page imports it. */
const toComponents = (library: Library, types: string, options = "", imports = ""): string => `import {
  createUploads,
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  generateUseUploader,
} from "sluice/${library}"
${imports}
// Bundlers leave out what no page imports.
export const UploadButton = /* @__PURE__ */ generateUploadButton<${types}>(${options})
export const UploadDropzone = /* @__PURE__ */ generateUploadDropzone<${types}>(${options})
export const UploadAvatar = /* @__PURE__ */ generateUploadAvatar<${types}>(${options})
export const useUploader = /* @__PURE__ */ generateUseUploader<${types}>(${options})

// For a layout: the tray shows uploads of components that have these as their \`uploads\`, also when they have left the page.
// Where a user logs out without loading a page, uploads.reset() takes them away before the next user sees them.
export const uploads = /* @__PURE__ */ createUploads<${types}>(${options})
export const UploadTray = /* @__PURE__ */ generateUploadTray(uploads)
`

/** The page's side. */
export const toClient = (path: string, library: Library, router: string, prologue = ""): Template => ({
  path,
  text:
    library === "client"
      ? `import { generateUploader } from "sluice/client"
import type { router } from "${router}"

export const { uploadFiles, createUpload } = generateUploader<typeof router>()
`
      : `${prologue}import "sluice/styles.css"
${toComponents(library, "typeof router", "", `import type { router } from "${router}"\n`)}`,
})

/** The page's side for a server in another project: it knows the names of routes only as text. */
export const toPageClient = (path: string, library: Library, url: string): Template => {
  const note = `// Types of the routes: import the server's, \`import type { router } from "…"\`, in the place of FileRouter.
const url = "${url}" // where the server has them; another origin has to allow this one (CORS)
`
  return {
    path,
    text:
      library === "client"
        ? `import { generateUploader } from "sluice/client"
import type { FileRouter } from "sluice/server"

${note}
export const { uploadFiles, createUpload } = generateUploader<FileRouter>({ url })
`
        : `import "sluice/styles.css"
${toComponents(library, "FileRouter", "{ url }", `import type { FileRouter } from "sluice/server"\n\n${note}`)}`,
  }
}

/** The same for a project without TypeScript. It handles only the syntax of the templates. */
export const toJavaScript = ({ path, text }: Template): Template => ({
  path: path.replace(/\.ts$/, ".js").replace(/\.mts$/, ".mjs"),
  text: text
    .replaceAll(/^import type .*\n/gm, "")
    .replaceAll(/, type \w+/g, "")
    .replaceAll(/ satisfies \w+/g, "")
    .replaceAll(/^\/\/ Types of .*\n/gm, "")
    .replaceAll(/<(typeof \w+|FileRouter)>/g, ""),
})
