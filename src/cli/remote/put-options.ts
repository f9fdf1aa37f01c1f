import { type Command, InvalidArgumentError, Option } from "commander"
import type { Acl, FileLabelsInput, UploadDetails } from "../../api.ts"

/** The most files at a time. */
const mostAtOnce = 64

/** The options of `sluice put`. */
export interface PutOptions {
  /** The name under which it is stored; of one file alone. */
  readonly name?: string
  readonly type?: string
  /** Of one file alone. */
  readonly customId?: string
  readonly acl?: Acl
  readonly owner?: string
  /** Where it is filed; of one file alone. */
  readonly path?: string
  /** As people write durations: `30 days`. */
  readonly expiresIn?: string
  readonly claim?: string
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
    .option("--name <name>", "stores it under this name (one file only)")
    .option("--type <type>", "media type (default: by the name's extension)")
    .option("--custom-id <id>", "an id of your own for it (one file only)")
    .addOption(new Option("--acl <acl>", "who may read it").choices(["public-read", "private"]))
    .option("--owner <id>", "whose it is")
    .option("--path <path>", "where it is filed, such as albums/summer/a.jpg (one file only)")
    .option("--expires-in <duration>", 'how long it is kept, such as "30 days" (default: for ever)')
    .option("--claim <duration>", "how long it waits to be claimed; then it is deleted")
    .addOption(new Option("--concurrency <number>", "files at the same time").argParser(parseConcurrency).default(6))

/** The options that only one file can have, as the user writes them, of those that are given. */
export const findSingular = ({ name, customId, path }: PutOptions): string | undefined => {
  if (name !== undefined) return "--name"
  if (customId !== undefined) return "--custom-id"
  return path === undefined ? undefined : "--path"
}

/** What the options say of every file, for the server API. */
export const toDetails = ({ customId, acl, owner, path, expiresIn, claim }: PutOptions): UploadDetails => ({
  customId,
  acl,
  // Durations are read where all labels are.
  labels: { owner, path, expiresIn, claim } as FileLabelsInput,
})
