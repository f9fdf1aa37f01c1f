import { join } from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import { envName, names } from "../../protocol.ts"
import { findPage } from "./find-page.ts"
import { isMounted } from "./find-mount.ts"
import { isNamed, isUsed } from "./find-use.ts"
import type { Framework } from "./framework.ts"
import { toOptimizerStep } from "./optimizer.ts"
import type { Plan } from "./plan.ts"
import type { PlannedFile } from "./planned-file.ts"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"
import { placeholder } from "./templates.ts"

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "     ")

const pathOf = ({ path, existing }: PlannedFile): string => existing ?? path

/** A plan without manual steps that the owner has already taken, in whatever file. */
export const dropDone = (plan: Plan, project: Project): Plan => {
  const router = plan.files.find(({ path }) => path.includes("upload-router"))
  if (router === undefined || plan.mount?.code.includes("upload-router") !== true) return plan
  return isMounted(project, pathOf(router), plan.files.map(pathOf)) ? { ...plan, mount: undefined } : plan
}

/** What starts the server, as far as that can be determined. */
const toStart = ({ mount }: Plan, project: Project): string => {
  const { scripts, packageManager, entry, has, imports, isTypeScript, hasVitePage } = project
  if (typeof scripts["start"] === "string" && !hasVitePage) return `${packageManager.run} start`
  const isThere = has(entry) || mount?.whole !== undefined
  return isThere && !(isTypeScript && imports.ending !== ".ts") ? `node ${entry}` : "<what starts your server>"
}

const proxy = `in vite.config: server: { proxy: { "${names.adapterPath}": "http://localhost:3000" } }, with the port of your server`

const hasProxy = ({ folder, has }: Project): boolean =>
  ["ts", "mts", "js", "mjs", "cjs"]
    .map((ending) => `vite.config.${ending}`)
    .filter(has)
    .some((path) => isNamed(readText(join(folder, path)) ?? "", /proxy[\s\S]*\/api/))

const toDevSteps = (plan: Plan, project: Project): ReadonlyArray<string> => {
  const { devScript } = plan
  const dev = `${project.packageManager.run} dev`
  switch (devScript.action) {
    case "changed":
    case "kept":
      return [dev]
    case "missing":
      return [
        `Start development with: npx sluice dev -- ${toStart(plan, project)}\n${indent("package.json has no script dev to put that into.")}`,
      ]
    case "elsewhere":
      return [`Start the server with: npx sluice dev -- <what starts it>, as its script dev; then this with ${dev}`]
    case "page":
      return [
        ...(hasProxy(project) ? [] : [`Let the page reach the server, ${proxy}.`]),
        `Start the server with: npx sluice dev -- ${toStart(plan, project)}\n${indent("The script dev starts Vite alone, and the server is what needs the token.")}`,
        `Start the page, in another terminal: ${dev}`,
      ]
    case "refused":
      return [`package.json stays as it is: ${devScript.reason}`]
  }
}

const toClientStep = (client: PlannedFile, project: Project): string => {
  const path = pathOf(client)
  if (!client.text.includes("UploadButton")) return `Upload from a page: uploadFiles("avatar", { files }) of ${path}.`
  const page = findPage(project, client)
  if (page === undefined) return `Put <UploadButton endpoint="avatar" /> of ${path} on a page.`
  const island = page.path.endsWith(".astro") ? "client:load " : ""
  const code = `import { UploadButton } from "${page.specifier}"\n\n<UploadButton ${island}endpoint="avatar" />`
  return `Put the button on a page, for example ${page.path}:\n\n${indent(code)}\n`
}

/** The routes of a file are open to everybody until the placeholder has been replaced. */
const isOpen = ({ folder }: Project, { existing }: PlannedFile): boolean =>
  existing === undefined || (readText(join(folder, existing)) ?? "").includes(placeholder)

const toMountStep = ({ file, code, whole }: NonNullable<Plan["mount"]>, { has }: Project): string =>
  whole === undefined || has(file) ? `Add to ${file}:\n\n${indent(code)}\n` : `Make ${file}:\n\n${indent(whole)}\n`

/** The remaining steps for the user, in order: all of them in every run, until it can be seen that they are done. */
export const toNextSteps = (plan: Plan, project: Project, framework: Framework): ReadonlyArray<string> => {
  const { packages, packageManager } = project
  const router = framework.isPageOnly ? undefined : plan.files.at(0)
  const client = plan.files.find((file) => file !== router && file.path.includes("upload-client"))
  const ours = plan.files.map(pathOf)
  const hasImports =
    !framework.hasPages && !framework.isPageOnly && (plan.mount !== undefined || client?.existing === undefined)
  const optimizer = toOptimizerStep(project, framework)
  const isClientUsed =
    client?.existing !== undefined && isUsed(project, /["'][^"'\n]*\bupload-client(?:\.\w+)?["']/, ours)
  return [
    ...(packages.has("sluice")
      ? []
      : [
          `Install the package: ${packageManager.install.replace(/ npm:$/, "")} <path>/sluice-${manifest.version}.tgz\n${indent("It is not on npm yet: `npm ci && npm pack` in a clone of Sluice makes that file.")}`,
        ]),
    ...(framework.isPageOnly
      ? [
          `Write the server: \`npx sluice init\` in its project, with --framework express, hono, fastify or node; or as ${project.home}/docs/frameworks/README.md says.`,
          ...(hasProxy(project)
            ? []
            : [
                `Let the page reach it. In development, ${proxy}; or give ${client === undefined ? "the page" : pathOf(client)} its URL, and let the server allow this origin (CORS): ${project.home}/docs/another-origin.md`,
              ]),
        ]
      : []),
    ...(plan.mount === undefined ? [] : [toMountStep(plan.mount, project)]),
    ...(optimizer === undefined ? [] : [optimizer]),
    ...(hasImports && project.imports.needsSetting
      ? [
          `Set "rewriteRelativeImportExtensions": true in the compilerOptions of tsconfig.json: Node runs TypeScript whose imports end in .ts, and tsc takes them where that says so.`,
        ]
      : []),
    ...(hasImports && project.isTypeScript && project.isCommonJs && project.imports.ending === ".ts"
      ? [
          `Set "type": "module" in package.json: where that says "commonjs", Node refuses TypeScript with imports (SyntaxError).`,
        ]
      : []),
    ...(router !== undefined && isOpen(project, router)
      ? [`Say who may upload, in the middleware of ${pathOf(router)}: as it stands, anybody may.`]
      : []),
    ...(client === undefined || isClientUsed ? [] : [toClientStep(client, project)]),
    ...(plan.markup === undefined || isUsed(project, /<sluice-(?:button|dropzone)\b/, ours)
      ? []
      : [`Put the component on a page:\n\n${indent(plan.markup)}\n`]),
    ...toDevSteps(plan, project),
    ...(framework.isPageOnly ? [] : ["Check it while that runs: npx sluice doctor"]),
    `For production set ${envName("callbackUrl")} to where the ingest reaches your app, such as https://app.example${names.adapterPath}: without it no upload is signed there.`,
  ]
}
