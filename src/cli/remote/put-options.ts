import { type Command, InvalidArgumentError, Option } from "commander"
import type { Acl, FileLabelsInput, UploadDetails } from "../../api.ts"
import { parseOwner, parsePathFolder, parseSpan, parseStoredPath } from "../label-options.ts"
import { toArgParser } from "../settings/setting-options.ts"

/** The most files at a time. */
const mostAtOnce = 64

/** The options of `sluice put`. */
export interface PutOptions {
  /** Whether folders are taken, with all that is in them. */
  readonly recursive?: true
  /** Whether files are left out that are stored already, under the same path and with the same size. */
  readonly skipStored?: true
  /** The name under which it is stored; of one file alone. */
  readonly name?: string
  readonly type?: string
  /** Of one file alone. */
  readonly customId?: string
  readonly acl?: Acl
  readonly owner?: string
  /** Where it is filed; of one file alone. */
  readonly path?: string
  /** Under which all are filed, with a `/` at its end. */
  readonly prefix?: string
  /** As people write durations: `30 days`. */
  readonly expiresIn?: string
  readonly claim?: string
  /** Whether it is held until a verdict. */
  readonly hold?: true
  readonly concurrency: number
  readonly json?: true
}

const parseConcurrency = (text: string): number => {
  const count = Number(text)
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= mostAtOnce) return count
  throw new InvalidArgumentError(`Expected a number from 1 to ${mostAtOnce}.`)
}

/** Gives `sluice put` its options of files. What {@link toDetails} passes on is named here and there, and nowhere else. */
export const addPutOptions = (command: Command): Command =>
  command
    .option("-r, --recursive", "folders too: each file is filed as it is in there")
    .option("--skip-stored", "leaves out what is stored: same path, same size")
    .option("--name <name>", "stores it under this name (one file only)")
    .option("--type <type>", "media type (default: by the name's extension)")
    .option("--custom-id <id>", "an id of your own for it (one file only)")
    .addOption(new Option("--acl <acl>", "who may read it").choices(["public-read", "private"]))
    .addOption(new Option("--owner <id>", "whose it is").argParser(toArgParser(parseOwner)))
    .addOption(
      new Option("--path <path>", "where it is filed: albums/a.jpg (one file only)").argParser(
        toArgParser(parseStoredPath),
      ),
    )
    .addOption(
      new Option("--prefix <path>", "files each of them under it: albums/").argParser(toArgParser(parsePathFolder)),
    )
    .addOption(
      new Option("--expires-in <duration>", 'how long it is kept: "30 days" (else for ever)').argParser(
        toArgParser(parseSpan),
      ),
    )
    .addOption(
      new Option("--claim <duration>", "how long it waits to be claimed; then it is deleted").argParser(
        toArgParser(parseSpan),
      ),
    )
    .option("--hold", "holds it until it is released or rejected")
    .addOption(new Option("--concurrency <number>", "files at the same time").argParser(parseConcurrency).default(6))

/** The options that only one file can have, as the user writes them, of those that are given. */
const findSingular = ({ name, customId, path }: PutOptions): string | undefined => {
  if (name !== undefined) return "--name"
  if (customId !== undefined) return "--custom-id"
  return path === undefined ? undefined : "--path"
}

/** What is wrong with paths and options together; undefined where nothing is. */
export const findPutMistake = (paths: ReadonlyArray<string>, options: PutOptions): string | undefined => {
  const singular = findSingular(options)
  if (singular !== undefined && (paths.length > 1 || options.recursive)) {
    return `${singular} is for one file only`
  }
  if (options.skipStored && options.recursive !== true && options.path === undefined && options.prefix === undefined) {
    return "--skip-stored compares paths, and these files get none: give --recursive, --prefix or --path"
  }
  if (paths.indexOf("-") !== paths.lastIndexOf("-")) return '"-" may be given only once'
  return options.path !== undefined && options.prefix !== undefined
    ? "--path is the whole path, --prefix what it begins with: give one of them"
    : undefined
}

/** What the options say of every file, and where this one is filed, for the server API. */
export const toDetails = (
  { customId, acl, owner, expiresIn, claim, hold }: PutOptions,
  path: string | undefined,
): UploadDetails => ({
  customId,
  acl,
  // The durations were checked as options.
  labels: { owner, path, expiresIn, claim, hold } as FileLabelsInput,
})
