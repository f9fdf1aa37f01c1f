import { join } from "node:path"

/** A part of the sidebar; its pages in the order in which they are read. */
export interface PageGroup {
  readonly label: string
  /** Files of the repository. */
  readonly files: ReadonlyArray<string>
  readonly isCollapsed?: true
}

/** Every page of Markdown that the site has, once: `test/site/pages.test.ts` compares it with the files. */
export const pageGroups: ReadonlyArray<PageGroup> = [
  { label: "Start", files: ["README.md", "docs/README.md", "docs/frameworks/README.md", "docs/file-routes.md"] },
  {
    label: "Frameworks",
    files: [
      "docs/frameworks/next.md",
      "docs/frameworks/next-pages.md",
      "docs/frameworks/sveltekit.md",
      "docs/frameworks/nuxt.md",
      "docs/frameworks/astro.md",
      "docs/frameworks/react-router.md",
      "docs/frameworks/tanstack-start.md",
      "docs/frameworks/solid-start.md",
      "docs/frameworks/express.md",
      "docs/frameworks/fastify.md",
      "docs/frameworks/hono.md",
      "docs/frameworks/elysia.md",
      "docs/frameworks/h3.md",
      "docs/frameworks/node.md",
      "docs/frameworks/vite.md",
      "docs/frameworks/fetch.md",
    ],
    isCollapsed: true,
  },
  {
    label: "In your app",
    files: [
      "docs/components.md",
      "docs/forms.md",
      "docs/tray.md",
      "docs/compared.md",
      "docs/client.md",
      "docs/auth.md",
      "docs/another-origin.md",
      "docs/images.md",
      "docs/csp.md",
      "docs/testing-routes.md",
      "docs/testing-components.md",
      "docs/stored-files.md",
      "docs/scanning.md",
      "docs/endpoints.md",
      "docs/server-api.md",
      "docs/upload-from-url.md",
      "docs/migrating.md",
    ],
  },
  {
    label: "In production",
    files: [
      "docs/deploying.md",
      "docs/bucket.md",
      "docs/postgres.md",
      "docs/several-ingests.md",
      "docs/scale.md",
      "docs/cdn.md",
      "docs/embedded.md",
      "docs/backup.md",
      "docs/cli.md",
      "docs/operating.md",
      "docs/conformance.md",
      "docs/security.md",
      "docs/troubleshooting.md",
      "docs/mistakes.md",
    ],
  },
  {
    label: "Background",
    files: [
      "docs/protocol.md",
      "docs/reliability.md",
      "docs/sizes.md",
      "bench/RESULTS.md",
      "docs/dependencies.md",
      "docs/architecture.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
    ],
  },
  {
    label: "Decisions",
    files: [
      "001-effect-is-inlined",
      "002-a-small-server-door",
      "003-signature-prefix",
      "010-epochs-and-renames",
      "011-registrations-until-the-end",
      "012-what-a-short-put-is-told",
      "013-small-files-and-flushes",
      "020-usage-by-triggers",
      "021-what-a-crash-leaves",
      "022-watching-the-ingest",
      "030-the-command-decodes-its-configuration",
      "040-components-are-described-once",
      "041-what-a-reload-remembers",
      "042-names-stay-in-the-page",
      "050-apps-live-in-the-catalog",
      "060-a-key-is-not-an-identity",
      "061-tombstones",
      "062-deleted-rows-are-overwritten",
      "063-callback-slots-are-of-an-app",
      "064-whose-host-is-believed",
      "065-rooms",
      "066-the-answer-carries-the-result",
      "067-requests-by-node-http",
      "068-the-url-carries-the-registration",
      "069-requests-without-the-fetch-classes",
      "070-small-files-go-as-a-post",
      "071-bodies-in-pieces",
      "072-what-caches-may-keep",
      "073-a-download-is-compared-with-what-the-ingest-says",
      "074-labels-are-sealed-for-each-file",
      "075-a-deletion-of-many-is-a-row",
      "076-a-held-file-has-a-state-of-its-own",
      "077-a-folder-is-read-by-a-sealed-prefix",
      "078-what-becomes-of-a-file-is-written-by-triggers",
      "079-a-scanner-reads-by-a-url-of-the-ingests-own",
      "080-the-client-of-s3",
      "081-a-blob-in-a-bucket",
      "082-a-key-is-held-by-an-insert",
      "083-hash-and-removal-across-processes",
      "084-an-ingest-without-a-background",
      "085-reads-by-redirect",
      "086-direct-uploads",
      "087-processes-that-look",
      "088-names-that-others-chose",
      "089-cancelled-uploads-end-at-once",
      "090-calls-take-turns",
      "091-large-files-are-asked-for-first",
      "092-small-pieces-wait",
    ].map((name) => `docs/decisions/${name}.md`),
    isCollapsed: true,
  },
]

export const repository = join(import.meta.dirname, "..")

/** What is made while the site is built, and never committed. `SITE_WORK` is another folder for it, the site included. */
export const workFolder = process.env["SITE_WORK"] ?? join(repository, "node_modules/.cache/sluice-site")

/** Where TypeDoc puts its pages before the site is built. */
export const apiFolder = join(workFolder, "api")

/** Files of `docs` that are no pages: the site serves them as they are. */
export const siteFiles: ReadonlyArray<string> = ["docs/openapi.json"]

/** What the site serves beside its pages, while it is made. */
export const publicFolder = join(workFolder, "public")

/** The path of a page on the site, and its id: `docs/client.md` is `client`, the front page `index`, the list of pages `contents`. */
export const toPageId = (file: string): string => {
  if (file === "docs/README.md") return "contents"
  const path = file
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .toLowerCase()
  return path === "readme" ? "index" : path.replace(/\/(readme|index)$/, "")
}
