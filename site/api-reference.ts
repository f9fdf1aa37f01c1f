import { join } from "node:path"
import { load } from "typedoc-plugin-markdown"
import { Application, type ProjectReflection, ReflectionKind, type TypeDocOptions } from "typedoc"
import { doors } from "../tsup.config.ts"

const root = join(import.meta.dirname, "..")

const options = {
  // A name that several doors export is told of at the first.
  entryPoints: [...new Set(["server", "client", ...doors.keys()])].map((name) => join(root, doors.get(name)!)),
  tsconfig: join(root, "tsconfig.json"),
  plugin: [load],
  name: "API reference",
  readme: "none",
  logLevel: "Error",
  // `npm run types` has checked them.
  skipErrorChecking: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  githubPages: false,
  router: "module",
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  useCodeBlocks: true,
  expandObjects: false,
  parametersFormat: "table",
  // A heading for each, which links and the search can lead to.
  interfacePropertiesFormat: "list",
  typeAliasPropertiesFormat: "table",
  enumMembersFormat: "table",
  sort: ["alphabetical"],
  groupOrder: ["Variables", "Functions", "Classes", "Interfaces", "*"],
} satisfies TypeDocOptions & Record<string, unknown>

/** The package's doors as TypeDoc reads them from the sources, each a module named as it is imported. */
export interface ApiReference {
  readonly project: ProjectReflection
  /** Writes a page of Markdown for each door, and `index.md`. */
  readonly write: (folder: string) => Promise<void>
}

/** Reads the doors. */
export const readApi = async (): Promise<ApiReference> => {
  const app = await Application.bootstrapWithPlugins(options)
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc could not read the package's doors.")
  for (const door of project.children ?? [])
    door.name = `sluice/${door.name.replace(/^(?:src|adapters|bindings)\//, "")}`
  return {
    project,
    write: async (folder) => {
      app.options.setValue("out", folder)
      await app.generateOutputs(project)
      if (app.logger.hasErrors()) throw new Error("TypeDoc could not write the reference.")
    },
  }
}

/** A name that a door exports. */
export interface PublicName {
  readonly door: string
  readonly name: string
  /** Whether it says what it is, here or at the door that it is told of at. */
  readonly isDocumented: boolean
}

/** All that the doors export. */
export const listNames = ({ project }: ApiReference): ReadonlyArray<PublicName> =>
  (project.children ?? []).flatMap((door) =>
    (door.children ?? []).map((child) => ({
      door: door.name,
      name: child.name,
      isDocumented:
        child.kindOf(ReflectionKind.Reference) ||
        child.hasComment() ||
        (child.signatures ?? []).some((signature) => signature.hasComment()),
    })),
  )
