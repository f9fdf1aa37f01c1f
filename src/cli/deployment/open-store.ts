import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import {
  type BlobStore,
  type BlobStoreAbilities,
  blobStoreContract,
  type BlobStoreDriver,
  createDiskBlobStore,
  makeFolder,
} from "../../ingest.ts"
import { CommandFailure, describeSystemError, toFolderFailure } from "../command-failure.ts"
import type { LogFormat } from "../../protocol.ts"
import { type Deployment, requireFolder } from "./deployment.ts"
import { openBucket, type Reads, readBucket } from "./open-bucket.ts"
import { printNotice } from "../terminal/print-notice.ts"

/** The page that says what a driver exports. */
const page = "node_modules/sluice/docs/conformance.md"

const wanted = `export default { contract: "${blobStoreContract}", open }`

/** What an ingest calls of a store. */
const methods = ["claim", "append", "finish", "read", "remove", "probe", "close"] as const satisfies ReadonlyArray<
  keyof BlobStore
>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The message of an error of foreign code on one line, with the first line of the file that its stack names. */
const describeForeign = (error: unknown, file: string): string => {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, " ").trim()
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const [, line] = stack.split(`${basename(file)}:`)[1]?.match(/^(\d+)/) ?? []
  return `${message.replace(/\.$/, "")}${line === undefined ? "" : ` (line ${line})`}`
}

const requireFile = async (file: string): Promise<void> => {
  const found = await stat(file).catch((error: unknown) => {
    throw new CommandFailure(
      `The store ${file} cannot be read: ${describeSystemError(error)}. Give --store the path of the module that opens the store.`,
    )
  })
  if (found.isFile()) return
  throw new CommandFailure(
    `The store ${file} is not a file. Name the module itself, for example --store ${file}/my-store.mjs.`,
  )
}

/** What is wrong with what a module exports, and what to do; undefined where it is a driver. */
const findExportMistake = (module: Readonly<Record<string, unknown>>): string | undefined => {
  const driver = module["default"]
  if (driver === undefined) {
    const named = "open" in module || "contract" in module ? " (named exports are ignored)" : ""
    return `has no default export${named}. Write ${wanted}`
  }
  if (!isObject(driver)) return `has a ${typeof driver} as its default export. Write ${wanted}`
  const { contract, open } = driver
  if (typeof contract !== "string") return `has no \`contract\` in its default export. Write ${wanted}`
  if (contract !== blobStoreContract) {
    return contract.split("/")[0] === blobStoreContract.split("/")[0]
      ? `was written for ${contract}, and this version of sluice supports ${blobStoreContract}. Install versions of the driver and of sluice that match`
      : `is a driver for ${contract}, and --store needs one for ${blobStoreContract}. Give it another module`
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
          ? "Install what it imports, or correct the import."
          : `Correct the file: \`node ${file}\` shows more.`),
    )
  }
  const mistake = findExportMistake(module)
  if (mistake !== undefined) throw new CommandFailure(`The store ${file} ${mistake}: see ${page}.`)
  return module["default"] as BlobStoreDriver
}

/** What is wrong with an opened store; undefined where an ingest can use it. */
const findStoreMistake = (store: unknown): string | undefined => {
  if (!isObject(store)) return `is ${store === null ? "null" : typeof store}, not a blob store`
  const { abilities } = store
  const missing = ["abilities", ...methods].filter((name) =>
    name === "abilities" ? !isObject(abilities) : typeof store[name] !== "function",
  )
  if (missing.length > 0) return `is not a blob store: it lacks ${missing.join(", ")}`
  const { isDurable, readsUnfinished } = abilities as { readonly [name in keyof BlobStoreAbilities]?: unknown }
  return typeof isDurable === "boolean" && typeof readsUnfinished === "boolean"
    ? undefined
    : "is not a blob store: `abilities.isDurable` and `abilities.readsUnfinished` are true or false"
}

/** Fails: with a {@link CommandFailure} that names the folder. */
const makeOwnFolder = (path: string): void => {
  try {
    makeFolder(path)
  } catch (error) {
    throw toFolderFailure("folder of files", path, error)
  }
}

/** How a store is opened. */
interface StoreOpening {
  readonly logFormat?: LogFormat | undefined
  /** Whether it is opened for the ingest; other commands read it alone. */
  readonly own?: boolean | undefined
  readonly reads?: Reads | undefined
  /** Ends the wait for a bucket. */
  readonly signal?: AbortSignal | undefined
}

/** ms after which a start says that it waits for a store. */
const patience = 10_000

/**
 * Opens the blob store of a deployment: files on disk, a bucket, or what a module opens.
 *
 * Fails: with a {@link CommandFailure} that says what happened, to which file, and what to do.
 */
export const openStore = async (
  deployment: Deployment,
  { logFormat = "text", own = false, reads, signal }: StoreOpening = {},
): Promise<BlobStore> => {
  const { store: choice } = deployment
  if (choice.kind === "s3") {
    return own ? openBucket(choice, deployment, { logFormat, reads, signal }) : readBucket(choice)
  }
  const folder = requireFolder(deployment)
  if (choice.kind === "disk") {
    // Before the first file, so that it is missed where somebody removes the data folder.
    if (own) makeOwnFolder(folder.blobs)
    return createDiskBlobStore({ folder: folder.blobs })
  }
  const { path: file } = choice
  const { open } = await loadDriver(file)
  let store: BlobStore
  const reminder = setTimeout(
    () =>
      printNotice(
        "warning",
        `The store ${file} is still being opened: its \`open\` has not resolved for ${patience / 1000} s.`,
        logFormat,
      ),
    patience,
  )
  try {
    store = await open({ data: folder.path })
  } catch (error) {
    throw new CommandFailure(
      `The store ${file} could not be opened: ${describeForeign(error, file)}. This message is from its own code; nothing was changed.`,
    )
  } finally {
    clearTimeout(reminder)
  }
  const mistake = findStoreMistake(store)
  if (mistake === undefined) return store
  throw new CommandFailure(
    `What \`open\` of ${file} returned ${mistake}. Test it with testBlobStore of sluice/conformance: see ${page}.`,
  )
}
