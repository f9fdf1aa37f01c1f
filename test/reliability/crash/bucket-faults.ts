import { setTimeout as sleep } from "node:timers/promises"
import type { Double, DoubleRequest, Fault } from "../../ingest/storage/s3/start-double.ts"
import type { Random } from "../random.ts"
import type { Moment } from "./moments.ts"

/** What the bucket does wrong. */
export interface BucketFaults {
  /** How often each kind was done. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether bytes of an unfinished file were lost in the bucket, so that its offset may go back. */
  readonly takeLoss: (fileKey: string) => boolean
  /** From now on nothing goes wrong. */
  readonly stop: () => void
}

const momentOf: Readonly<Record<string, Moment>> = {
  CreateMultipartUpload: "multipart upload",
  UploadPart: "part",
  CompleteMultipartUpload: "completion",
  PutObject: "object",
  DeleteObject: "removal of an object",
}

/** The key of a file, by the name of one of its objects. */
const fileKeyOf = (name: string): string => /^files\/(.+)\.\d+\//.exec(name)?.[1] ?? ""

/** Makes a bucket refuse, cut off, answer late or not at all, and now and then lose bytes of files that are not finished. */
export const injectBucketFaults = (double: Double, random: Random, see: (moment: Moment) => void): BucketFaults => {
  const counts: Record<string, number> = {}
  /** How often the offset of a file may still go back. */
  const losses = new Map<string, number>()
  let isOver = false
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }

  const pickFault = ({ operation }: DoubleRequest): Fault | undefined => {
    const isRead = operation === "GetObject"
    switch (random.below(40)) {
      case 0:
        return { kind: "answer", status: 500, code: "InternalError" }
      case 1:
        return { kind: "answer", status: 503, code: "SlowDown" }
      case 2:
        return { kind: "cut" }
      case 3:
        return isRead ? { kind: "cut-answer", after: random.below(100_000) } : { kind: "lose-answer" }
      case 4:
      case 5:
        return { kind: "late", by: random.between(1, 1000) }
      case 6:
        // A completion or an object whose answer is lost is what is hardest to get right.
        return operation === "CompleteMultipartUpload" || operation === "PutObject"
          ? { kind: "lose-answer" }
          : undefined
      default:
        return undefined
    }
  }

  double.onRequest(async (request) => {
    const moment = momentOf[request.operation]
    if (moment !== undefined) see(moment)
    if (isOver) return undefined
    if (random.chance(0.02)) {
      count("delay")
      await sleep(random.between(1, 1000))
    }
    const fault = pickFault(request)
    if (fault !== undefined) count(fault.kind === "answer" ? String(fault.status) : fault.kind)
    return fault
  })

  const lose = (): void => {
    const begun = [...double.uploads].filter(([, { parts }]) => parts.size > 0)
    if (begun.length === 0) return
    const [id, { key, parts }] = random.pick(begun)
    const fileKey = fileKeyOf(key)
    // Two clients may each be told of it.
    losses.set(fileKey, (losses.get(fileKey) ?? 0) + 2)
    if (random.chance(0.5)) {
      count("upload aborted")
      double.uploads.delete(id)
    } else {
      count("part overwritten")
      const number = random.pick([...parts.keys()])
      const { bytes } = parts.get(number)!
      parts.set(number, {
        bytes: Buffer.alloc(bytes.length, 7),
        etag: `"${String(random.below(1e9)).padStart(32, "0")}"`,
      })
    }
  }
  const loseNow = (): void => {
    if (isOver) return
    lose()
    setTimeout(loseNow, random.between(500, 4000))
  }
  setTimeout(loseNow, 1000)

  return {
    counts,
    takeLoss: (fileKey) => {
      const left = losses.get(fileKey) ?? 0
      losses.set(fileKey, left - 1)
      return left > 0
    },
    stop: () => {
      isOver = true
    },
  }
}
