import { stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type BlobStore, blobStoreContract, type BlobStoreDriver, createDiskBlobStore } from "../ingest.ts"
import { CommandFailure, describeSystemError } from "./command-failure.ts"
import type { DataFolder } from "./data-folder.ts"

/** Where it is written what a driver exports. */
const page = "node_modules/sluice/docs/conformance.md"

const wanted = `export default { contract: "${blobStoreContract}", open }`

/** What an ingest calls of a store. */
const methods = ["claim", "append", "digest", "finish", "read", "remove", "close"] as const satisfies ReadonlyArray<
  keyof BlobStore
>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** What an error of somebody else's code says, on one line, and the line of the file that it names first. */
const describeForeign = (error: unknown, file: string): string => {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, " ").trim()
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const [, line] = stack.split(`${basename(file)}:`)[1]?.match(/^(\d+)/) ?? []
  return `${message.replace(/\.$/, "")}${line === undefined ? "" : ` (line ${line})`}`
}

const requireFile = async (file: string): Promise<void> => {
  const found = await stat(file).catch((error: unknown) => {
    throw new CommandFailure(
      `The store ${file} cannot be read: ${describeSystemError(error)}. Say with --store which file opens the store.`,
    )
  })
  if (found.isFile()) return
  throw new CommandFailure(
    `The store ${file} is no file. Say with --store which file opens the store, its name included.`,
  )
}

/** What is wrong with what a module exports, and what to do; undefined where it is a driver. */
const findExportMistake = (module: Readonly<Record<string, unknown>>): string | undefined => {
  const driver = module["default"]
  if (driver === undefined) {
    const named = "open" in module || "contract" in module ? ", and names do not count" : ""
    return `exports no default${named}. Write ${wanted}`
  }
  if (!isObject(driver)) return `has a ${typeof driver} as its default export. Write ${wanted}`
  const { contract, open } = driver
  if (typeof contract !== "string")
    return `does not say in its default export which contract it was written for. Write ${wanted}`
  if (contract !== blobStoreContract) {
    return contract.split("/")[0] === blobStoreContract.split("/")[0]
      ? `was written for ${contract}, and this version of sluice speaks ${blobStoreContract}. Install the version of the driver, or of sluice, that speaks the other's`
      : `is a driver of ${contract}, and --store takes one of ${blobStoreContract}. Give it another file`
  }
  return typeof open === "function" ? undefined : `has no function \`open\` in its default export. Write ${wanted}`
}

/** Fails: with a {@link CommandFailure} that names the file and what to do. */
const loadDriver = async (file: string): Promise<BlobStoreDriver> => {
  await requireFile(file)
  let module: Readonly<Record<string, unknown>>
  try {
    module = await import(pathToFileURL(file).href)
  } catch (error) {
    const isMissing = isObject(error) && error["code"] === "ERR_MODULE_NOT_FOUND"
    throw new CommandFailure(
      `The store ${file} cannot be loaded: ${describeForeign(error, file)}. ` +
        (isMissing
          ? "Install what it imports beside it, or mend the import."
          : `Mend the file: \`node ${file}\` says more.`),
    )
  }
  const mistake = findExportMistake(module)
  if (mistake !== undefined) throw new CommandFailure(`The store ${file} ${mistake}: see ${page}.`)
  return module["default"] as BlobStoreDriver
}

/** What a store lacks that an ingest needs. */
const findLacking = (store: unknown): ReadonlyArray<string> => {
  if (!isObject(store)) return ["everything"]
  const lacking: Array<string> = methods.filter((name) => typeof store[name] !== "function")
  return isObject(store["abilities"]) ? lacking : ["abilities", ...lacking]
}

/**
 * Opens the blob store of a data folder: files on disk, or what the module at `path` opens.
 *
 * Fails: with a {@link CommandFailure} that says what happened, to which file, and what to do.
 */
export const openStore = async (path: string | undefined, folder: DataFolder): Promise<BlobStore> => {
  if (path === undefined) return createDiskBlobStore({ folder: folder.blobs })
  const file = resolve(path)
  const { open } = await loadDriver(file)
  let store: BlobStore
  try {
    store = await open({ data: folder.path })
  } catch (error) {
    throw new CommandFailure(
      `The store ${file} could not be opened: ${describeForeign(error, file)}. That is what its own code says; nothing was changed.`,
    )
  }
  const lacking = findLacking(store)
  if (lacking.length > 0) {
    throw new CommandFailure(
      `What ${file} has opened is no blob store: it lacks ${lacking.join(", ")}. Try it with testBlobStore of sluice/conformance: see ${page}.`,
    )
  }
  return store
}

/** Where an ingest has its files: `--store` as it was given, made absolute; null for files on disk. */
export const toStorePath = (path: string | undefined): string | null => (path === undefined ? null : resolve(path))
