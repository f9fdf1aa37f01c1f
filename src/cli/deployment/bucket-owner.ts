import { randomUUID } from "node:crypto"
import { envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { requireKeys } from "./bucket-keys.ts"
import { type BucketChoice, type Deployment, nameStore } from "./deployment.ts"
import { explainBucket } from "./explain-bucket.ts"
import { findNote } from "./notes.ts"

/** A catalog, as an object of its bucket names it. */
interface BucketOwner {
  /** Random, and noted beside the catalog. Empty in an object that is none of ours. */
  readonly catalog: string
  readonly kind: "postgresql" | "sqlite" | undefined
}

const noteOf = (deployment: Deployment) => findNote(deployment, "catalog-id")

const kindOf = ({ database }: Deployment): NonNullable<BucketOwner["kind"]> =>
  database === null ? "sqlite" : "postgresql"

const readOwner = (text: string): BucketOwner => {
  try {
    const { catalog, kind } = JSON.parse(text) as { readonly [name in keyof BucketOwner]?: unknown }
    return {
      catalog: typeof catalog === "string" ? catalog : "",
      kind: kind === "postgresql" || kind === "sqlite" ? kind : undefined,
    }
  } catch {
    return { catalog: "", kind: undefined }
  }
}

const nameKind = ({ catalog, kind }: BucketOwner): string => {
  if (catalog === "") return "something that this version does not know"
  const which = `another catalog${kind === undefined ? "" : kind === "sqlite" ? " in SQLite" : " in PostgreSQL"}`
  return `${which}, ${catalog.slice(0, 8)}`
}

const nameOwn = ({ database, describe }: Deployment): string =>
  `that of ${describe()}${database === null ? " (in SQLite)" : `, in the schema ${database.schema}`}`

const adviseOn = ({ kind }: BucketOwner, deployment: Deployment): string => {
  if (kind === "postgresql" && deployment.database === null) {
    return `Name its database (${envName("databaseUrl")}, or databaseUrl)`
  }
  if (kind === "sqlite") return "Name its data folder (--data), and no database"
  return "Name its database and its schema (--database-url, --database-schema)"
}

/** Works with the object that says whose a bucket is. Fails: with a {@link CommandFailure} where the bucket does. */
const withMarker = async <A>(
  choice: BucketChoice,
  use: (marker: {
    readonly name: string
    readonly read: () => Promise<BucketOwner | undefined>
    make: (owner: BucketOwner) => Promise<void>
  }) => Promise<A>,
  signal?: AbortSignal,
): Promise<A> => {
  const { credentials, source } = requireKeys()
  const { openBucketMarker, S3Error } = await import("../../s3.ts")
  const marker = openBucketMarker({ ...choice, credentials }, { signal })
  try {
    return await use({
      name: marker.name,
      read: async () => {
        const text = await marker.read()
        return text === undefined ? undefined : readOwner(text)
      },
      make: (owner) => marker.make(`${JSON.stringify(owner)}\n`),
    })
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    const { reason, advice } = explainBucket(error, choice, source)
    throw new CommandFailure(`Whose files are ${nameStore(choice)} cannot be told. ${reason} ${advice}`)
  } finally {
    marker.close()
  }
}

/** A bucket is of another catalog. */
export class ForeignBucket extends CommandFailure {
  readonly reason: string
  readonly advice: string
  constructor(reason: string, advice: string) {
    super(`${reason} ${advice}`)
    this.reason = reason
    this.advice = advice
  }
}

const toRefusal = (choice: BucketChoice, deployment: Deployment, owner: BucketOwner, name: string): ForeignBucket =>
  new ForeignBucket(
    `The files ${nameStore(choice)} are of ${nameKind(owner)}, as the object ${name} there says, and not of ${nameOwn(deployment)}.`,
    `${adviseOn(owner, deployment)}, or give this one a prefix of its own (--s3-prefix). ` +
      `Only where that catalog is gone for good, or this one was restored from it: delete the object ${name} from the bucket, and start the ingest, which makes its own.`,
  )

/** Whose the files of a bucket are, as far as its object says so. */
export type Ownership = "own" | "nobody's"

/**
 * Whether a bucket, below its prefix, is of the catalog of a deployment.
 *
 * Fails: with a {@link ForeignBucket} where it is of another one.
 */
export const requireOwnBucket = (
  choice: BucketChoice,
  deployment: Deployment,
  signal?: AbortSignal,
): Promise<Ownership> =>
  withMarker(
    choice,
    async ({ name, read }) => {
      const owner = await read()
      if (owner === undefined) return "nobody's"
      // After the bucket: the id is noted before it is put there.
      const own = (await noteOf(deployment).read())?.trim()
      if (owner.catalog === "" || owner.catalog !== own) throw toRefusal(choice, deployment, owner, name)
      return "own"
    },
    signal,
  )

/**
 * Says in a bucket that it is of the catalog of a deployment, which has to be there. Of processes of one catalog any number may do
 * so at once.
 *
 * Fails: with a {@link ForeignBucket} where it is of another one.
 */
export const claimBucket = (choice: BucketChoice, deployment: Deployment, signal?: AbortSignal): Promise<void> =>
  withMarker(
    choice,
    async ({ name, read, make }) => {
      const catalog = (await noteOf(deployment).keepFirst(randomUUID())).trim()
      if ((await read()) === undefined) await make({ catalog, kind: kindOf(deployment) })
      const owner = await read()
      if (owner?.catalog === catalog) return
      throw owner === undefined
        ? new CommandFailure(`The object ${name} that was put does not come back ${nameStore(choice)}.`)
        : toRefusal(choice, deployment, owner, name)
    },
    signal,
  )

/** Why a bucket is not of the catalog of a deployment; undefined where it is, or nothing says so. Fails: as {@link requireOwnBucket}. */
export const findForeignOwner = async (
  choice: BucketChoice,
  deployment: Deployment,
): Promise<ForeignBucket | undefined> => {
  try {
    await requireOwnBucket(choice, deployment)
    return undefined
  } catch (error) {
    if (error instanceof ForeignBucket) return error
    throw error
  }
}
