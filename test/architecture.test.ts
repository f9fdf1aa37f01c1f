import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import packageJson from "../package.json" with { type: "json" }
import { wireNames } from "../src/protocol/names.ts"
import { problems } from "../src/protocol/errors/problem.ts"
import { doors, nodeDoors } from "../tsup.config.ts"

const root = join(import.meta.dirname, "..")

interface Import {
  readonly from: string
  /** Whether it is gone at run time. */
  readonly isType: boolean
  /** By `import()`. */
  readonly isLater?: true
}

interface Module {
  /** Relative to the root. */
  readonly file: string
  readonly source: ts.SourceFile
  readonly imports: ReadonlyArray<Import>
}

const isTypeOnly = (statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement
    return (
      statement.isTypeOnly ||
      (exportClause !== undefined &&
        ts.isNamedExports(exportClause) &&
        exportClause.elements.every((element) => element.isTypeOnly))
    )
  }
  const clause = statement.importClause
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { name, namedBindings } = clause
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  )
}

const visit = (node: ts.Node, see: (node: ts.Node) => void): void => {
  see(node)
  ts.forEachChild(node, (child) => visit(child, see))
}

const readModule = (file: string): Module => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true)
  const imports: Array<Import> = []
  visit(source, (node) => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier !== undefined &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      imports.push({ from: node.moduleSpecifier.text, isType: isTypeOnly(node) })
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments
      if (specifier !== undefined && ts.isStringLiteral(specifier)) {
        imports.push({ from: specifier.text, isType: false, isLater: true })
      }
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { literal } = node.argument
      if (ts.isStringLiteral(literal)) imports.push({ from: literal.text, isType: true })
    }
  })
  return { file, source, imports }
}

const modules = globSync("{src,adapters,bindings}/**/*.{ts,tsx}", { cwd: root }).toSorted().map(readModule)

/** The module an import means, relative to the root; undefined for a package and for data. */
const target = ({ file }: Module, { from }: Import): string | undefined =>
  /^\..*\.tsx?$/.test(from) ? relative(root, join(root, dirname(file), from)) : undefined

const packageOf = (specifier: string): string => /^((?:@[^/]+\/)?[^/]+)/.exec(specifier)?.[1] ?? specifier

/** `src/route`, `adapters`, `bindings`, or `door` for the files of `src` that are entries of the package. */
const placeOf = (file: string): string => {
  const [top = "", second = ""] = file.split("/")
  if (top !== "src") return top
  return second.endsWith(".ts") || second === "texts" ? "door" : `${top}/${second}`
}

/** Who may import whom, and which packages. docs/architecture.md has the same table. */
const table: Readonly<
  Record<string, { readonly places: ReadonlyArray<string>; readonly packages: ReadonlyArray<string> }>
> = {
  "src/protocol": { places: [], packages: ["sqids", "mime"] },
  "src/schema": { places: ["src/protocol"], packages: ["effect"] },
  "src/http": { places: ["src/protocol"], packages: [] },
  "src/server-kit": { places: ["src/protocol", "src/http"], packages: ["effect", "ipaddr.js"] },
  "src/route": {
    places: ["src/protocol", "src/schema", "src/http", "src/server-kit"],
    packages: ["effect", "@standard-schema/spec"],
  },
  "src/api": {
    places: ["src/protocol", "src/schema", "src/http", "src/server-kit", "src/transfer"],
    packages: ["effect", "ipaddr.js", "content-disposition"],
  },
  "src/ingest": {
    places: ["src/protocol", "src/schema", "src/http", "src/server-kit"],
    packages: [
      "effect",
      "multipasta",
      "file-type",
      "content-disposition",
      "@smithy/signature-v4",
      "@rgrove/parse-xml",
      "hash-wasm",
    ],
  },
  "src/transfer": { places: ["src/protocol"], packages: [] },
  "src/client": { places: ["src/protocol", "src/http", "src/transfer"], packages: [] },
  "src/ui": { places: ["src/client", "src/transfer", "src/protocol"], packages: [] },
  "src/msw": { places: ["door"], packages: ["msw", "vitest"] },
  "src/conformance": { places: ["door", "adapters"], packages: [] },
  "src/cli": {
    places: ["door", "adapters", "src/schema"],
    packages: ["commander", "effect", "content-disposition", "pg"],
  },
}

/** The folders outside of `src`: what of the project their entries may import, beside the parts of their own, and what the parts may. */
const outside: Readonly<
  Record<string, { readonly entries: ReadonlyArray<string>; readonly parts: ReadonlyArray<string> }>
> = {
  adapters: { entries: ["src/server.ts", "adapters/node.ts"], parts: ["src/protocol.ts", "src/server.ts"] },
  bindings: { entries: ["src/ui.ts"], parts: ["src/ui.ts"] },
}

/** Modules of no door that the parts of an adapter may import: they are nobody else's business, so they are not exported. */
const lent: Readonly<Record<string, ReadonlyArray<string>>> = {
  "adapters/node": [
    // A body that is read before the handler gets it counts as those that the handler reads.
    "src/server-kit/body-memory.ts",
    // Chunks whose memory may be freed go from the bridge to the store and back.
    "src/protocol/disposable-stream.ts",
  ],
}

describe("who imports whom", () => {
  for (const [place, allowed] of Object.entries(table)) {
    it(`${place} imports ${allowed.places.join(", ") || "no other folder"}`, () => {
      const strangers = modules
        .filter(({ file }) => placeOf(file) === place)
        .flatMap((module) =>
          module.imports.flatMap((imported) => {
            const file = target(module, imported)
            const isAllowed =
              file === undefined
                ? /^node:|\.json$/.test(imported.from) || allowed.packages.includes(packageOf(imported.from))
                : placeOf(file) === place || allowed.places.includes(placeOf(file))
            return isAllowed ? [] : [`${module.file} → ${imported.from}`]
          }),
        )
      expect(strangers).toEqual([])
    })
  }

  it("every folder of src is in the table", () => {
    const places = new Set(modules.map(({ file }) => placeOf(file)))
    for (const place of [...Object.keys(table), "door", ...Object.keys(outside)]) places.delete(place)
    expect([...places]).toEqual([])
  })

  it("only the command, the suites and the bridge to Node import what is of Node", () => {
    const users = modules
      .filter(({ file }) => !/^(src\/cli\/|src\/conformance\/|adapters\/node)/.test(file))
      .filter(({ imports }) => imports.some(({ from, isType }) => from.startsWith("node:") && !isType))
    expect(users.map(({ file }) => file)).toEqual([])
  })

  /** What a module imports of the project, but for the parts of `folder`. */
  const importsBeside = (module: Module, folder: string): ReadonlyArray<string> =>
    module.imports
      .map((imported) => target(module, imported))
      .filter((file) => file !== undefined)
      .filter((file) => !file.startsWith(`${folder}/`))

  describe.each(Object.entries(outside))("%s", (folder, allowed) => {
    const entries = modules.filter(({ file }) => dirname(file) === folder)
    const parts = modules.filter(({ file }) => dirname(file).startsWith(`${folder}/`))

    it(`import ${allowed.entries.join(", ")}, their parts and one framework, nothing deeper`, () => {
      const peers = Object.keys(packageJson.peerDependencies)
      for (const module of entries) {
        const deep = importsBeside(module, module.file.replace(/\.tsx?$/, ""))
        expect(
          deep.filter((file) => !allowed.entries.includes(file)),
          module.file,
        ).toEqual([])
        const packages = new Set(
          module.imports.map(({ from }) => packageOf(from)).filter((name) => !/^\.|^node:/.test(name)),
        )
        expect(
          [...packages].filter((name) => !peers.includes(name)),
          module.file,
        ).toEqual([])
        expect(packages.size, module.file).toBeLessThanOrEqual(1)
      }
    })

    it(`have parts that import ${allowed.parts.join(", ")}, one another, and what the table lends them`, () => {
      const inside = parts.flatMap((module) =>
        importsBeside(module, dirname(module.file))
          .filter((file) => !allowed.parts.includes(file))
          .map((file) => `${dirname(module.file)} → ${file}`),
      )
      // Each of them in use, so that the table does not outlive its reasons.
      const ofFolder = Object.entries(lent).filter(([borrower]) => borrower.startsWith(`${folder}/`))
      expect([...new Set(inside)]).toEqual(
        ofFolder.flatMap(([borrower, files]) => files.map((file) => `${borrower} → ${file}`)),
      )
    })

    it("use all that is allowed to them", () => {
      const imported = (files: ReadonlyArray<Module>) =>
        new Set(files.flatMap((module) => importsBeside(module, "no folder")))
      expect([...imported(entries)]).toEqual(expect.arrayContaining([...allowed.entries]))
      expect([...imported(parts)]).toEqual(expect.arrayContaining([...allowed.parts]))
    })
  })

  it("Effect is imported by module, never as a whole", () => {
    const users = modules.filter(({ imports }) => imports.some(({ from }) => from === "effect"))
    expect(users.map(({ file }) => file)).toEqual([])
  })

  it.each(["src/ui.ts", ...globSync("{adapters,bindings}/*.{ts,tsx}", { cwd: root })])(
    "%s loads no texts of those in use",
    (door) => {
      const loaded = new Set<string>()
      const load = (file: string): void => {
        if (loaded.has(file)) return
        loaded.add(file)
        const module = modules.find((module) => module.file === file)
        for (const imported of module?.imports ?? []) {
          const next = imported.isType || imported.isLater ? undefined : target(module!, imported)
          if (next !== undefined) load(next)
        }
      }
      load(door)
      expect([...loaded].filter((file) => /english-texts|announcement-texts|\/languages\//.test(file))).toEqual([])
    },
  )
})

/** Groups of modules of which each imports all others, through one another. */
const findCircles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const reachOf = (start: string): ReadonlySet<string> => {
    const reached = new Set<string>()
    const open = [start]
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      for (const next of graph.get(file) ?? []) {
        if (reached.has(next)) continue
        reached.add(next)
        open.push(next)
      }
    }
    return reached
  }
  const reach = new Map([...graph.keys()].map((file) => [file, reachOf(file)]))
  const groups = new Map<string, Array<string>>()
  for (const [file, reached] of reach) {
    if (!reached.has(file)) continue
    const group = [...reached].filter((other) => reach.get(other)?.has(file)).toSorted()
    groups.set(group.join(), group)
  }
  return [...groups.values()]
}

it("no imports go in circles, those of types included", () => {
  const graph = new Map(
    modules.map((module) => [
      module.file,
      module.imports.map((imported) => target(module, imported)).filter((file) => file !== undefined),
    ]),
  )
  expect([...graph.values()].flat().length).toBeGreaterThan(modules.length)
  expect(findCircles(graph)).toEqual([])
  expect(
    findCircles(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ),
  ).toEqual([["b", "c"]])
})

describe("doors", () => {
  it("are the package's exports, by their names", () => {
    const expected = Object.fromEntries(
      [...doors].map(([name, source]) => {
        const file = `./dist/${name}.js`
        // By the condition `svelte`, bundlers of Svelte know that the package has components to compile.
        const isSvelte = modules.some(
          (module) => module.file === source && module.imports.some(({ from }) => from.endsWith(".svelte")),
        )
        const conditions = {
          ...(isSvelte && { svelte: file }),
          // What Node loads instead of what pages load; its types are those of the door.
          ...(nodeDoors.has(name) && { node: `./dist/${name}.node.js` }),
        }
        return [`./${name}`, { types: `./dist/${name}.d.ts`, ...conditions, default: file }]
      }),
    )
    expect(packageJson.exports).toEqual({
      ...expected,
      "./styles.css": { types: "./dist/styles.css.d.ts", default: "./dist/styles.css" },
      "./package.json": "./package.json",
    })
  })

  it("have names of their own", () => {
    const files = globSync("{src,src/texts,adapters,bindings}/*.{ts,tsx}", { cwd: root })
    expect(doors.size + nodeDoors.size).toBe(files.length)
  })

  it("of src only re-export", () => {
    for (const { file, source } of modules.filter((module) => placeOf(module.file) === "door")) {
      const others = source.statements.filter(
        (statement) => !(ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined),
      )
      expect(
        others.map((statement) => statement.getText()),
        file,
      ).toEqual([])
    }
  })
})

describe("names", () => {
  /** Words of the wire that nobody would write by chance. */
  const distinctive = (() => {
    const values: Array<string> = []
    const collect = (value: unknown): void => {
      if (typeof value === "string") values.push(value)
      else for (const entry of Object.values(value as object)) collect(entry)
    }
    collect(wireNames("sluice"))
    return values.filter((value) => /-|_$|[a-z][A-Z]/.test(value) || value.startsWith("/"))
  })()

  it("of the wire are spelt in one module only", () => {
    expect(distinctive).toContain("x-sluice-range-start")
    const misspelt: Array<string> = []
    for (const { file, source } of modules) {
      if (file === "src/protocol/names.ts") continue
      visit(source, (node) => {
        if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node) && !ts.isTemplateMiddleOrTemplateTail(node))
          return
        if (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) return
        const name = distinctive.find((word) => node.text.includes(word))
        if (name !== undefined) misspelt.push(`${file}: ${node.getText()}`)
      })
    }
    expect(misspelt).toEqual([])
  })

  it("of files say what is in them", () => {
    const vague = modules.filter(({ file }) => /^(utils?|helpers?|common|misc|types?)\.tsx?$/.test(basename(file)))
    expect(vague.map(({ file }) => file)).toEqual([])
  })

  it("of tagged errors are unique", () => {
    const tags = modules.flatMap(({ source }) =>
      [...source.text.matchAll(/TaggedError\("([^"]+)"\)/g)].map(([, tag]) => tag),
    )
    expect(tags.length).toBeGreaterThan(0)
    expect(tags).toEqual([...new Set(tags)])
  })
})

describe("the problem table", () => {
  it("is the one of docs/protocol.md §11, code for code", () => {
    const section = /^## 11\.[^]*?(?=^## 12\.)/m.exec(readFileSync(join(root, "docs/protocol.md"), "utf8"))?.[0] ?? ""
    const documented = new Map<string, number>()
    for (const line of section.split("\n").filter((row) => row.startsWith("| ") && !row.includes("| code |"))) {
      const [codes = "", statuses = "", , moreCodes = "", moreStatuses = ""] = line.split("|").slice(1, -1)
      for (const [left, right] of [
        [codes, statuses],
        [moreCodes, moreStatuses],
      ] as const) {
        const numbers = right.match(/\d+/g) ?? ["0"]
        const names = left.match(/\b[A-Z]+(?:_[A-Z]+)+\b|\b[A-Z]{5,}\b/g) ?? []
        names.forEach((name, i) => documented.set(name, Number(numbers[i] ?? numbers[0])))
      }
    }
    const actual = Object.entries(problems).map(([code, { status }]) => [code, status] as const)
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual))
  })
})

describe("tests", () => {
  it("are skipped with a reason, which `skipIf`, `runIf` and their like cannot give", () => {
    const tests = globSync("test/**/*.{ts,tsx}", { cwd: root })
    expect(tests.length).toBeGreaterThan(100)
    const silent = tests.flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line, i) =>
          /\b(?:it|test|describe)\.(?:skip|skipIf|runIf|todo)\(/.test(line) ? [`${file}:${i + 1}`] : [],
        ),
    )
    expect(silent).toEqual([])
  })
})

describe("the map", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8")
  /** What stands between backticks in a cell of a table. */
  const namesIn = (cell = ""): ReadonlyArray<string> => [...cell.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!)

  it("has the table of who may import whom, and which packages", () => {
    const [, section = ""] = page.split("## Rooms and arrows")
    const rows = section
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|").slice(1, -1))
    const shown = rows.map(([room, , places, packages]) => [
      namesIn(room)[0],
      { places: namesIn(places), packages: namesIn(packages) },
    ])
    expect(Object.fromEntries(shown)).toEqual(table)
  })

  it.each(["docs/architecture.md", "CONTRIBUTING.md"])("%s names files and folders that exist", (file) => {
    const text = readFileSync(join(root, file), "utf8").replaceAll(/^```[^]*?^```$/gm, "")
    const paths = namesIn(text)
      .filter((name) => /^(?:src|adapters|bindings|test|site|docs|playground|bench)\/[^<>*{]+$/.test(name))
      // A decision goes by its number.
      .map((name) => (/^docs\/decisions\/\d+$/.test(name) ? `${name}-*.md` : name))
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
  })

  it("names functions that are in the files behind them", () => {
    const walks = [...page.replaceAll(/\s+/g, " ").matchAll(/`(\w+)` \(`([^`]+\.ts)`\)/g)]
    expect(walks.length).toBeGreaterThan(30)
    const lost = walks.filter(([, name, file]) => {
      const module = modules.find((each) => each.file === file)
      return !new RegExp(`\\b(?:const|class|function) ${name}\\b`).test(module?.source.text ?? "")
    })
    expect(lost.map(([text]) => text)).toEqual([])
  })
})
