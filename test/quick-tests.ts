/**
 * Which tests are quick: those of the sources that start no browser, no build and no process, judged by what they import,
 * so that a new test is in its project without being listed anywhere.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** The tests that run one at a time, because load changes what they find, as globs relative to the root. */
export const testsAlone = [
  "test/reliability/crash.test.ts",
  "test/reliability/faults/*.test.ts",
  "test/mistakes/**/*.test.ts",
  "test/security/silent-readers.test.ts",
]

/** The tests that mostly wait for a page of their own, so that several run beside each other, as globs relative to the root. */
export const pageTests = ["test/bindings/**/*.test.ts", "test/forms/**/*.test.ts"]

/** The tests of the command, and others that mostly wait: for processes, or for what hangs, is silent or slow. */
export const waitingTests = [
  "test/cli/**/*.test.ts",
  "test/deploy/**/*.test.ts",
  "test/ingest/processes/**/*.test.ts",
  "test/ingest/storage/postgres/waits.test.ts",
  "test/ingest/storage/s3/radosgw.test.ts",
  "test/reliability/{bucket,flushes,table}.test.ts",
  "test/security/slow-bodies.test.ts",
]

/** The tests of several ingests, as processes, over one database and one bucket: they keep the machine to themselves. */
export const scaleTests = ["test/scale/**/*.test.ts"]

/** The tests of the sources, as globs relative to the root. */
export const sourceTests = {
  include: ["test/**/*.test.ts"],
  exclude: ["test/package/**", "test/newcomer/**", ...testsAlone, ...scaleTests],
}

/** Modules by which tests start what takes long. */
const slowModules = /^(node:child_process|playwright-core|esbuild|vite)(\/|$)/

/** These start nothing, and take long all the same: they wait, fill disks, type-check or try thousands of inputs. */
export const longTests: ReadonlyArray<string> = [
  "test/adapters/next-pages-types.test.ts",
  "test/api/from-url/memory.test.ts",
  "test/auth-page.test.ts",
  "test/client/memory.test.ts",
  "test/docs.test.ts",
  "test/file-routes-page.test.ts",
  "test/framework-pages.test.ts",
  "test/images-page.test.ts",
  "test/ingest/access/apps.test.ts",
  "test/ingest/delivery/callbacks.test.ts",
  "test/ingest/delivery/interleavings.test.ts",
  "test/ingest/storage/sqlite/catalog-sqlite.test.ts",
  "test/ingest/storage/sqlite/log.test.ts",
  "test/ingest/storage/transitions.test.ts",
  "test/readme.test.ts",
  "test/route/misuse.test.ts",
  "test/security/shared-keys.test.ts",
  "test/security/slow-bodies.test.ts",
  "test/server-api-page.test.ts",
]

const root = join(import.meta.dirname, "..")

const imports = new Map<string, ReadonlyArray<string>>()

const readImports = (file: string): ReadonlyArray<string> => {
  const known = imports.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(root, file), "utf8")
  const read = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name]) => name!)
  imports.set(file, read)
  return read
}

/** What tests are made of; what the sources import says nothing of what a test starts. */
const isOfTests = (file: string): boolean => /^(test|playground|site)\/.*\.ts$/.test(file)

/** A test and all modules of tests that it is made of, relative to the root. */
export const listModulesOf = (test: string): ReadonlyArray<string> => {
  const reached = new Set([test])
  // What is added meanwhile is visited as well.
  for (const file of reached) {
    for (const name of readImports(file)) {
      const imported = normalize(join(dirname(file), name))
      if (name.startsWith(".") && isOfTests(imported) && existsSync(join(root, imported))) reached.add(imported)
    }
  }
  return [...reached]
}

/** Whether a test, or what it is made of, imports one of the modules. */
const reaches = (test: string, modules: RegExp): boolean =>
  listModulesOf(test).some((file) => readImports(file).some((name) => modules.test(name)))

/** The quick tests, relative to the root. */
export const listQuickTests = (): Array<string> =>
  globSync(sourceTests.include, { cwd: root, exclude: sourceTests.exclude })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !longTests.includes(file) && !reaches(file, slowModules))
    .toSorted()

/** By these, tests leave more behind in their process than modules: sockets, and requests that are intercepted. */
const sharedModules = /^(node:https?|node:http2|node:net|msw)(\/|$)/

/** How a test changes modules, or what they read when they are loaded. */
const changesModules = /\bvi\.(mock|doMock|resetModules|stubGlobal)\(|without-node-crypto/

/** Whether a quick test may run in a worker that has loaded modules for other tests. */
export const sharesModules = (test: string): boolean =>
  !changesModules.test(readFileSync(join(root, test), "utf8")) && !reaches(test, sharedModules)
