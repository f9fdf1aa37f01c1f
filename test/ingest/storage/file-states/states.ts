/*
 * The states of a stored file and all transitions between them, as `docs/stored-files.md` shows them. `play.ts` brings
 * both catalogs into each situation and does each operation there; what is not named here changes no state.
 */

/** States as apps see them, and before and after them. */
export type State = "nothing" | "Uploading" | "Held" | "Pending" | "Uploaded" | "Deleting" | "Failed" | "gone"

/** What can be done to a file, or happen to it. */
export type Operation =
  | "begin"
  | "arrive at once"
  | "last byte"
  | "refuse content"
  | "URL expires"
  | "claim"
  | "replace by a claim"
  | "release"
  | "reject"
  | "change"
  | "delete"
  | "delete owner"
  | "delete owner, not reached"
  | "time to claim passes"
  | "expiresIn passes"
  | "nobody registers"
  | "reclaim bytes"
  | "forget history"
  | "take its key"

/** A state, and how its file came there as far as that decides what comes next. */
export type Situation =
  | "nothing"
  | "nothing, with claim"
  | "nothing, with hold"
  | "nothing, with both"
  | "Uploading"
  | "Uploading, with claim"
  | "Uploading, claimed"
  | "Uploading, with hold"
  | "Uploading, with both"
  | "Held"
  | "Held, with claim"
  | "Held, claimed"
  | "Pending"
  | "Pending, released"
  | "Uploaded"
  | "Uploaded, claimed"
  | "Uploaded, released"
  | "Deleting"
  | "Failed"
  | "Failed, told and reclaimed"
  | "gone"

/** What a state means to an app. */
export interface StateFacts {
  readonly meaning: string
  /** Who reads the file, whether a catalog calls it readable, and whether it finds it by its path. */
  readonly readBy: string
  readonly isReadable: boolean
  readonly isFoundByPath: boolean
  /** Whether it counts as usage. */
  readonly counts: string
  readonly counted: "stored" | "announced" | "no"
  /** Which callback is sent, and which one its catalog keeps for an app that has heard of nothing yet. */
  readonly callback: string
  readonly hook: "callback" | "error" | null
}

/** State → facts, in the order of a file's life. */
export const states: Readonly<Record<Exclude<State, "nothing" | "gone">, StateFacts>> = {
  Uploading: {
    meaning: "its bytes are on their way",
    readBy: "nobody",
    isReadable: false,
    isFoundByPath: false,
    counts: "by quotas alone, with its whole size",
    counted: "announced",
    callback: "none yet",
    hook: null,
  },
  Held: {
    meaning: "it has arrived, and waits for a verdict",
    readBy: "who has a URL that its app has signed with `held`",
    isReadable: false,
    isFoundByPath: false,
    counts: "yes",
    counted: "stored",
    callback: "none before the verdict",
    hook: null,
  },
  Pending: {
    meaning: "it has arrived, and waits to be claimed",
    readBy: "who has a signed URL of its own, whatever its ACL says",
    isReadable: true,
    isFoundByPath: false,
    counts: "yes",
    counted: "stored",
    callback: "`onUploadComplete`",
    hook: "callback",
  },
  Uploaded: {
    meaning: "it is stored",
    readBy: "as its ACL says, and who has a signed prefix",
    isReadable: true,
    isFoundByPath: true,
    counts: "yes",
    counted: "stored",
    callback: "`onUploadComplete`, unless it was sent when the file was `Pending`",
    hook: "callback",
  },
  Deleting: {
    meaning: "nobody gets it any more, and its bytes go soon",
    readBy: "nobody",
    isReadable: false,
    isFoundByPath: false,
    counts: "no",
    counted: "no",
    callback: "none; one that was still due is not sent",
    hook: null,
  },
  Failed: {
    meaning: "it did not arrive, or was rejected; its bytes go soon",
    readBy: "nobody",
    isReadable: false,
    isFoundByPath: false,
    counts: "no",
    counted: "no",
    callback: "`onUploadError`",
    hook: "error",
  },
}

/** A change of state. */
export interface Transition {
  readonly from: State
  readonly to: State
  /** By what, after "when". */
  readonly when: string
  /** The same in as few words as the picture has room for; absent where another arrow stands for it. */
  readonly label?: string
  readonly by: ReadonlyArray<readonly [Situation, Operation]>
}

const pairs = (
  situations: ReadonlyArray<Situation>,
  ...operations: ReadonlyArray<Operation>
): ReadonlyArray<readonly [Situation, Operation]> =>
  situations.flatMap((situation) => operations.map((operation) => [situation, operation] as const))

const uploading: ReadonlyArray<Situation> = [
  "Uploading",
  "Uploading, with claim",
  "Uploading, claimed",
  "Uploading, with hold",
  "Uploading, with both",
]
const held: ReadonlyArray<Situation> = ["Held", "Held, with claim", "Held, claimed"]
const pending: ReadonlyArray<Situation> = ["Pending", "Pending, released"]
const uploaded: ReadonlyArray<Situation> = ["Uploaded", "Uploaded, claimed", "Uploaded, released"]
const nothing: ReadonlyArray<Situation> = ["nothing", "nothing, with claim", "nothing, with hold", "nothing, with both"]
const deletions: ReadonlyArray<Operation> = ["delete", "delete owner", "delete owner, not reached"]
const replaced = "it is deleted, or replaced by a claim"
const unregistered = "no app has registered it within a day"

/** All transitions there are. */
export const transitions: ReadonlyArray<Transition> = [
  { from: "nothing", to: "Uploading", when: "its upload begins", label: "begins", by: pairs(nothing, "begin") },
  { from: "nothing", to: "Uploaded", when: "it arrives in one piece", by: pairs(["nothing"], "arrive at once") },
  {
    from: "nothing",
    to: "Pending",
    when: "it arrives in one piece, with `claim`",
    by: pairs(["nothing, with claim"], "arrive at once"),
  },
  {
    from: "nothing",
    to: "Held",
    when: "it arrives in one piece, with `hold`",
    by: pairs(["nothing, with hold", "nothing, with both"], "arrive at once"),
  },
  {
    from: "Uploading",
    to: "Uploaded",
    when: "its last byte arrives",
    label: "arrives",
    by: pairs(["Uploading", "Uploading, claimed"], "last byte"),
  },
  {
    from: "Uploading",
    to: "Pending",
    when: "its last byte arrives, with `claim` and not claimed by then",
    label: "arrives, with claim",
    by: pairs(["Uploading, with claim"], "last byte"),
  },
  {
    from: "Uploading",
    to: "Held",
    when: "its last byte arrives, with `hold`",
    label: "arrives, with hold",
    by: pairs(["Uploading, with hold", "Uploading, with both"], "last byte"),
  },
  {
    from: "Uploading",
    to: "Failed",
    when: "its content or size is refused, its client cancels it, its URL expires, or a newer upload takes its key",
    label: "refused, cancelled, late, key taken",
    by: pairs(uploading, "refuse content", "URL expires", "take its key"),
  },
  {
    from: "Uploading",
    to: "Deleting",
    when: replaced,
    label: "deleted",
    by: pairs(uploading, ...deletions, "replace by a claim"),
  },
  {
    from: "Held",
    to: "Uploaded",
    when: "it is released",
    label: "released",
    by: pairs(["Held", "Held, claimed"], "release"),
  },
  {
    from: "Held",
    to: "Pending",
    when: "it is released, and has still to be claimed",
    label: "released, with claim",
    by: pairs(["Held, with claim"], "release"),
  },
  { from: "Held", to: "Failed", when: "it is rejected", label: "rejected", by: pairs(held, "reject") },
  {
    from: "Held",
    to: "Deleting",
    when: `${replaced}, or ${unregistered}`,
    label: "deleted",
    by: pairs(held, ...deletions, "replace by a claim", "nobody registers"),
  },
  { from: "Pending", to: "Uploaded", when: "it is claimed", label: "claimed", by: pairs(pending, "claim") },
  {
    from: "Pending",
    to: "Deleting",
    when: `its time to be claimed (\`claimBy\`) or to be kept (\`expiresAt\`) has passed, ${replaced}, or ${unregistered}`,
    label: "deleted, unclaimed, expired",
    by: [
      ...pairs(pending, ...deletions, "replace by a claim", "nobody registers"),
      ...pairs(pending, "time to claim passes", "expiresIn passes"),
    ],
  },
  {
    from: "Uploaded",
    to: "Deleting",
    when: `its time (\`expiresAt\`) has passed, ${replaced}, or ${unregistered}`,
    label: "deleted, expired",
    by: pairs(uploaded, ...deletions, "replace by a claim", "nobody registers", "expiresIn passes"),
  },
  {
    from: "Failed",
    to: "Deleting",
    when: replaced,
    label: "deleted",
    by: pairs(["Failed", "Failed, told and reclaimed"], ...deletions, "replace by a claim"),
  },
  {
    from: "Failed",
    to: "gone",
    when: "its app was told, and its URL expired 30 days ago",
    label: "after 30 days",
    by: pairs(["Failed, told and reclaimed"], "forget history"),
  },
  {
    from: "Deleting",
    to: "gone",
    when: "its bytes are removed",
    label: "removed",
    by: pairs(["Deleting"], "reclaim bytes"),
  },
]
