import type { UploadGrant } from "../../../src/protocol.ts"
import type { FileLabels } from "../../../src/ingest.ts"
import type { Answer } from "../exchange.ts"
import type { Random } from "../random.ts"
import type { Moment } from "./moments.ts"

/** What becomes of an upload. */
export type Fate =
  /** It is finished, whatever happens on the way. */
  | "finished"
  /** It is begun, replaced by another file under its key, and that is finished. */
  | "replaced"
  /** Nobody goes on with it: it expires. */
  | "abandoned"
  /** Its content is not what it says. */
  | "lying"
  /** Its URL expires on the way, as often as it takes, and is renewed; it is finished. */
  | "renewed"
  /** It is finished, and then deleted. */
  | "deleted"
  /** It is begun, and deleted before it is finished. */
  | "deleted midway"
  /** It is finished, and then deleted with all of its owner. */
  | "deleted with owner"
  /** It is finished, waits to be claimed, and is. */
  | "claimed"
  /** It is finished, waits to be claimed, and never is. */
  | "unclaimed"
  /** It is finished, held and released. */
  | "released"
  /** It is finished, held and rejected. */
  | "rejected"

/** What a client has been told, or has told, of its upload. */
export interface Upload {
  readonly fate: Fate
  grant: UploadGrant
  /** What its URL says of it for the app, which no client can read. */
  readonly labels: FileLabels
  content: Uint8Array
  readonly isForm: boolean
  readonly pieces: number
  /** When the app registers it, if it does; or by its URL. */
  readonly registers: "never" | "first" | "meanwhile" | "last" | "sealed"
  readonly awaitServerData: boolean
  /** How far the ingest has said that bytes are stored. */
  acknowledged: number
  /** How far bytes were given to a socket. */
  sent: number
  /** PUTs that were not answered. */
  unanswered: number
  /** Of them those of the file that this one has replaced: where one reaches the ingest late, that file comes back in its place. */
  older: number
  fileHash?: string
  serverData?: unknown
}

export interface Counts {
  uploads: number
  bytes: number
  /** Uploads that went on from an offset above 0 and below their size. */
  resumes: number
  /** Requests whose connection broke. */
  broken: number
  /** Files that the app deleted. */
  deletions: number
  /** Files that the app claimed. */
  claims: number
  /** Files that waited for a claim in vain, and are gone. */
  unclaimed: number
  /** Files that were held, and were released or rejected. */
  verdicts: number
  /** Files that a second client was told to have sent. */
  rivals: number
  /** URLs that had expired and were signed anew. */
  renewals: number
  /** Requests with the URL of a deleted file that were refused. */
  refusedReturns: number
}

export const createCounts = (): Counts => ({
  uploads: 0,
  bytes: 0,
  resumes: 0,
  broken: 0,
  deletions: 0,
  claims: 0,
  unclaimed: 0,
  verdicts: 0,
  rivals: 0,
  renewals: 0,
  refusedReturns: 0,
})

/** What uploads run against. */
export interface World {
  readonly random: Random
  /** The public URL; nothing listens there. */
  readonly publicUrl: string
  /** Where the ingest listens, once it does. */
  readonly ingestUrl: () => Promise<string>
  readonly appUrl: string
  readonly appId: string
  readonly apiKey: string
  readonly see: (moment: Moment) => void
  readonly violate: (what: string) => void
  /** Nothing good will come of going on. */
  readonly isHopeless: () => boolean
  readonly counts: Counts
  /** Keys whose deletion was asked for, and those of files that are deleted unless somebody claims them. */
  readonly deleted: Set<string>
  /** Keys of files of which no verdict was asked for: their app hears nothing of them. */
  readonly held: Set<string>
  /** What becomes of uploads, each as often as it is here. */
  readonly fates?: ReadonlyArray<Fate>
  /** Bytes of the next file. */
  readonly pickSize?: () => number
  /** How likely a second client sends the same bytes at the same time. */
  readonly rivals?: number
  /** Whether an answer only says that what the ingest stands on fails for now: it proves nothing then. */
  readonly isFailure?: (answer: Answer) => boolean
  /** ms without a byte after which a client gives a request up; by default never. */
  readonly patience?: number
  /** How long a file that the app claims waits for it, ms; 60,000 by default. */
  readonly claimWithin?: number
  /** Whether some URLs carry their registration. */
  readonly isSealed?: boolean
  /** Whether the store has lost bytes of a file, so that its offset may go back. Each loss counts once. */
  readonly takeLoss?: (key: string) => boolean
}

/** Where in its life a deleted file is: nobody knows it from the request on, and it is gone from the answer on. */
export const isDeletion = ({ fate }: Upload): boolean =>
  fate === "deleted" || fate === "deleted midway" || fate === "deleted with owner" || fate === "unclaimed"

/** Whether it can be read at the end. */
export const isStored = ({ fate }: Upload): boolean =>
  fate === "finished" || fate === "replaced" || fate === "renewed" || fate === "claimed" || fate === "released"

/** Whether it waits for a verdict once it has arrived. */
export const isHeld = ({ fate }: Pick<Upload, "fate">): boolean => fate === "released" || fate === "rejected"
