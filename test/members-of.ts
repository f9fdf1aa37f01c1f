import { join } from "node:path"
import ts from "typescript"

const root = join(import.meta.dirname, "..")

/**
 * The members of interfaces as the compiler sees them, inherited ones too.
 *
 * @param interfaces name → the source file that declares it, from the root of the repository
 */
export const membersOf = (interfaces: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const program = ts.createProgram(
    Object.values(interfaces).map((path) => join(root, path)),
    {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      strict: true,
      noEmit: true,
      types: [],
    },
  )
  const checker = program.getTypeChecker()
  return new Map(
    Object.entries(interfaces).map(([name, path]) => {
      const file = program.getSourceFile(join(root, path))
      const declaration = file?.statements.find(
        (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
      )
      if (declaration === undefined) throw new Error(`${path} declares no interface ${name}.`)
      const type = checker.getTypeAtLocation(declaration)
      return [name, checker.getPropertiesOfType(type).map((property) => property.name)]
    }),
  )
}
