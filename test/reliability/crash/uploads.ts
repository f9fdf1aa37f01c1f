import { createHash, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  formatUploadRange,
  names,
  signUploadUrl,
} from "../../../src/protocol.ts"
import type { Answer } from "../exchange.ts"
import { createSealer } from "../../../src/protocol/signing/seal.ts"
import { createAsk } from "./ask.ts"
import { fates, labelOf } from "./fates.ts"
import { createRestCalls } from "./rest-calls.ts"
import { isDeletion, isHeld, type Upload, type World } from "./world.ts"

const boundary = "----crash-test"

/** The route of all uploads. */
const slug = "crash"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Sends uploads through all of it, and checks each answer against what the client knows. */
export const createUploads = (world: World) => {
  const { random, see, violate, isHopeless, counts, apiKey, appId, rivals = 0 } = world
  const signer = createSigner(apiKey)
  const sealer = createSealer(apiKey)
  const encodedAppId = encodeAppId(appId)
  // ASCII: no magic number gives the declared type the lie.
  const pool = Buffer.from(Array.from({ length: 8 * 1024 * 1024 }, () => 97 + random.below(26)))

  const pickSize =
    world.pickSize ??
    (() => {
      const kind = random.below(20)
      return kind < 13 ? 1024 : kind < 18 ? random.between(1, 128 * 1024) : random.between(1024 * 1024, 3 * 1024 * 1024)
    })

  const createContent = (): Uint8Array => {
    const size = pickSize()
    if (size < pool.length) {
      const start = random.below(pool.length - size)
      return pool.subarray(start, start + size)
    }
    const content = Buffer.alloc(size)
    for (let at = 0; at < size;) at += pool.copy(content, at, random.below(pool.length - 1))
    return content
  }

  const exchange = createAsk(world)

  const { call, claim, leave, judge } = createRestCalls(world)

  const createUpload = async (): Promise<Upload> => {
    const fate = random.pick(world.fates ?? fates)
    const registers =
      fate === "finished" || fate === "replaced" || fate === "deleted"
        ? random.pick([
            ...(["never", "first", "first", "meanwhile", "last"] as const),
            ...(world.isSealed === true ? (["sealed", "sealed"] as const) : []),
          ])
        : "first"
    // Of a file that is held the app says nothing before the verdict.
    const awaitServerData = !isHeld({ fate }) && random.chance(0.6)
    const isCutShort = fate === "abandoned" || fate === "deleted midway"
    let content = createContent()
    if (fate === "lying") content = Buffer.concat([Buffer.from("MZ\u0090\u0000"), content])
    if (isCutShort && content.length < 2) content = pool.subarray(0, 1024)
    const issuedAt = Date.now()
    // Some have expired before they are begun.
    const untilAbandoned = random.between(1, random.chance(0.2) ? 5 : 1500)
    const key = createFileKey(encodedAppId)
    const labels = labelOf(fate, random, world.claimWithin)
    if (fate === "unclaimed") world.deleted.add(key)
    if (isHeld({ fate })) world.held.add(key)
    return {
      fate,
      labels,
      grant: {
        key,
        appId,
        ...(Object.keys(labels).length > 0 && {
          labels: await sealer.seal(JSON.stringify(labels), { appId, fileKey: key }),
        }),
        expires:
          issuedAt + (fate === "abandoned" ? untilAbandoned : fate === "renewed" ? random.between(1, 300) : 3_600_000),
        name: "file.bin",
        size: content.length,
        type: fate === "lying" ? "image/png" : "text/plain",
        ...(registers !== "never" && { slug, registrationId: randomUUID(), issuedAt }),
        ...(registers === "sealed" && {
          seal: await sealer.seal(
            JSON.stringify({ callbackUrl: world.appUrl, awaitServerData, metadata: { of: key } }),
            { appId, slug },
          ),
        }),
      },
      content,
      isForm: random.chance(0.5),
      pieces: content.length <= 1024 ? 1 : random.between(1, content.length < pool.length ? 12 : 60),
      registers,
      awaitServerData,
      acknowledged: 0,
      sent: 0,
      unanswered: 0,
      older: 0,
    }
  }

  /** The signed URL, at where the ingest listens now. */
  const locate = async ({ grant }: Upload): Promise<string> => {
    const signed = await signUploadUrl(world.publicUrl, grant, signer)
    return (await world.ingestUrl()) + signed.slice(world.publicUrl.length)
  }

  const explain = (upload: Upload, answer: Answer): string =>
    `${upload.fate} ${upload.grant.key} (${upload.grant.size} bytes): ${answer.status} ${answer.body.toString()}`

  /**
   * Takes an offset the ingest named, if it is possible.
   *
   * @param floor what was acknowledged before it was asked for: of two clients, one may be told later of an earlier state
   */
  const acknowledge = (upload: Upload, answer: Answer, floor: number): void => {
    const text = answer.headers[names.header.rangeStart]
    const offset = Number(text)
    const { acknowledged, sent } = upload
    if (offset < floor && world.takeLoss?.(upload.grant.key) === true) {
      upload.acknowledged = offset
      return
    }
    if (offset === 0 && floor > 0 && upload.older > 0) {
      upload.older--
      upload.acknowledged = 0
      return
    }
    if (text === undefined || !(offset >= floor && offset <= sent)) {
      violate(`offset ${String(text)}, but ${floor} were acknowledged and ${sent} sent: ${explain(upload, answer)}`)
    }
    upload.acknowledged = Math.max(acknowledged, offset)
  }

  /** Signs the URL anew where it has expired, as the app's route does. */
  const renew = (upload: Upload, answer: Answer): boolean => {
    if (upload.fate !== "renewed" || answer.status !== 403) return false
    upload.grant = { ...upload.grant, expires: Date.now() + random.between(50, 1500) }
    counts.renewals++
    see("renewal")
    return true
  }

  /** Whether nobody has claimed it in time, and it may be gone before its client has heard that it had arrived. */
  const isTooLate = ({ fate, sent, content }: Upload, { status }: Answer): boolean =>
    fate === "unclaimed" && status === 404 && sent === content.length

  const register = async ({ grant, awaitServerData }: Upload): Promise<void> => {
    while (!isHopeless()) {
      const answer = await exchange(`${await world.ingestUrl()}/${names.path.register}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: [
          Buffer.from(
            JSON.stringify({
              id: grant.registrationId,
              fileKeys: [grant.key],
              metadata: { of: grant.key },
              callbackUrl: world.appUrl,
              callbackSlug: grant.slug,
              awaitServerData,
            }),
          ),
        ],
        onSent: () => see("registration"),
      })
      if (answer?.status === 200) return
      if (answer !== undefined) violate(`registration: ${answer.status} ${answer.body.toString()}`)
      counts.broken++
    }
  }

  const askOffset = async (upload: Upload): Promise<void> => {
    const floor = upload.acknowledged
    const answer = await exchange(await locate(upload), { method: "HEAD", onSent: () => see("offset") })
    if (answer === undefined) counts.broken++
    else if (answer.status === 200) acknowledge(upload, answer, floor)
    else if (answer.status !== 423 && !renew(upload, answer) && !isTooLate(upload, answer))
      violate(`HEAD of ${explain(upload, answer)}`)
  }

  /** The rest of the content from `start` to `end` as it goes over the wire. */
  const toBody = ({ isForm, pieces, content }: Upload, start: number, end: number) => {
    const size = Math.max(1, Math.ceil((end - start) / pieces))
    const cut: Array<Uint8Array> = []
    for (let at = start; at < end; at += size) cut.push(content.subarray(at, Math.min(end, at + size)))
    if (!isForm) return { body: cut, type: "application/octet-stream", ends: cut }
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`
    return {
      body: [Buffer.from(head), ...cut, Buffer.from(`\r\n--${boundary}--\r\n`)],
      type: `multipart/form-data; boundary=${boundary}`,
      ends: [new Uint8Array(), ...cut],
    }
  }

  const send = async (
    upload: Upload,
    start: number,
    end: number,
    options: { readonly onSent?: () => void } = {},
  ): Promise<Answer | undefined> => {
    const url = await locate(upload)
    const { body, type, ends } = toBody(upload, start, end)
    const isCut = body.length > 2 && random.chance(0.15)
    let at = start
    const answer = await exchange(url, {
      method: "PUT",
      headers: { "content-type": type, range: formatUploadRange(start) },
      body,
      pause: body.length > 2 ? random.between(0, 6) : 0,
      ...(isCut && { cutAfter: random.between(1, body.length - 1) }),
      onPiece: (index) => {
        at += ends[index]?.length ?? 0
        upload.sent = Math.max(upload.sent, at)
        if (index > 0) see("body")
      },
      onSent: () => {
        see(upload.fate === "lying" ? "clean-up" : "last byte")
        options.onSent?.()
      },
    })
    if (answer === undefined) {
      counts.broken++
      upload.unanswered++
    }
    return answer
  }

  /** Another client of the same file: it sends the same, or asks how far it is. */
  const compete = async (upload: Upload, start: number, end: number): Promise<void> => {
    await sleep(random.between(0, 100))
    if (random.chance(0.3)) return askOffset(upload)
    const answer = await send(upload, start, end)
    if (answer?.status === 409) acknowledge(upload, answer, start)
    // Whether it is an answer or a refusal: the other client says what becomes of the upload.
    else if (answer?.status === 200) counts.rivals++
  }

  /** Uploads until the ingest says that it has all of it, and what the app said. */
  const finish = async (upload: Upload): Promise<void> => {
    const { content, registers } = upload
    const isAnnounced = registers !== "never" && registers !== "sealed"
    const once = (() => {
      let registered: Promise<void> | undefined
      return () => (registered ??= isAnnounced ? register(upload) : Promise.resolve())
    })()
    if (registers === "first") await once()
    if (registers === "meanwhile") void once()
    for (let tries = 0; !isHopeless(); tries++) {
      if (tries > 0 && random.chance(0.7)) await askOffset(upload)
      const start = upload.acknowledged
      if (start > 0 && start < content.length) counts.resumes++
      // Some clients send a file in several requests.
      const isPart = content.length - start > 1024 && random.chance(0.3)
      const end = isPart ? random.between(start + 1, content.length - 1) : content.length
      const rival = random.chance(rivals) ? compete(upload, start, end) : undefined
      const answer = await send(upload, start, end, { onSent: () => void once() })
      await rival
      if (answer === undefined) continue
      if (answer.status === 409) acknowledge(upload, answer, start)
      else if (answer.status === 502 || answer.status === 504) upload.acknowledged = content.length
      else if (answer.status === 200) {
        see("answer")
        upload.acknowledged = content.length
        const stored = JSON.parse(answer.body.toString())
        if (stored.fileHash !== sha256(content)) violate(`another hash: ${explain(upload, answer)}`)
        upload.fileHash = stored.fileHash
        upload.serverData = stored.serverData
        return once()
      } else if (isTooLate(upload, answer)) return
      else if (answer.status !== 423 && !renew(upload, answer)) {
        violate(explain(upload, answer))
        return
      }
    }
  }

  /** Brings a part of it there, unless its URL expires before. */
  const begin = async (upload: Upload): Promise<void> => {
    const end = random.between(1, upload.content.length - 1)
    while (!isHopeless()) {
      const floor = upload.acknowledged
      const answer = await send(upload, floor, Math.max(end, floor))
      if (answer?.status === 409) {
        acknowledge(upload, answer, floor)
        if (upload.acknowledged > 0) return
      } else if (answer?.status === 403) return
      else if (answer !== undefined && answer.status !== 423) {
        return violate(explain(upload, answer))
      } else if (answer === undefined && upload.grant.expires < Date.now()) return
    }
  }

  const replace = async (upload: Upload): Promise<void> => {
    if (upload.content.length > 1) await begin(upload)
    // A byte more: no client could take it for the same file.
    upload.content = Buffer.concat([createContent(), Buffer.from("!")])
    upload.grant = { ...upload.grant, size: upload.content.length, name: "other.bin" }
    upload.acknowledged = 0
    upload.sent = 0
    upload.older = upload.unanswered
    see("clean-up")
    return finish(upload)
  }

  const abandon = async (upload: Upload): Promise<void> => {
    await register(upload)
    await begin(upload)
    setTimeout(() => see("clean-up"), Math.max(1, upload.grant.expires - Date.now()))
  }

  /** Deletes the file, perhaps while it is being sent, and sends it again by the old URL and by a renewed one. */
  const remove = async (upload: Upload): Promise<void> => {
    const { grant, content, fate } = upload
    const isSending = fate === "deleted midway" && random.chance(0.5)
    const sending = isSending ? send(upload, upload.acknowledged, content.length) : undefined
    world.deleted.add(grant.key)
    const { owner } = upload.labels
    await call("deleteFiles", owner === undefined ? { fileKeys: [grant.key] } : { owner }, "deletion")
    await sending
    counts.deletions++
    see("clean-up")
    if (random.chance(0.5)) upload.grant = { ...grant, expires: grant.expires + 3_600_000 }
    for (let left = 3; left > 0 && !isHopeless(); left--) {
      const answer = random.chance(0.3)
        ? await exchange(await locate(upload), { method: "HEAD" })
        : await send(upload, 0, content.length)
      if (answer?.status === 404) counts.refusedReturns++
      else if (answer !== undefined && answer.status !== 423) violate(`came back: ${explain(upload, answer)}`)
    }
  }

  const lie = async (upload: Upload): Promise<void> => {
    await register(upload)
    while (!isHopeless()) {
      const floor = upload.acknowledged
      const answer = await send(upload, floor, upload.content.length)
      if (answer?.status === 415) return
      if (answer?.status === 409) acknowledge(upload, answer, floor)
      else if (answer !== undefined && answer.status !== 423) return violate(explain(upload, answer))
    }
  }

  /**
   * Reads a finished file back and compares, or sees that a deleted one is not there; a connection that breaks proves nothing.
   *
   * @param at where it is read; by default wherever the ingest listens now
   */
  const verify = async (upload: Upload, at?: string): Promise<"same" | "broken"> => {
    const answer = await exchange(`${at ?? (await world.ingestUrl())}/${names.path.file}/${upload.grant.key}`, {
      method: "GET",
    })
    if (answer === undefined) return "broken"
    if (isDeletion(upload) || upload.fate === "rejected") {
      if (answer.status !== 404) violate(`was deleted, and is there: ${upload.grant.key} ${answer.status}`)
    } else if (answer.status !== 200 || sha256(answer.body) !== sha256(upload.content)) {
      violate(`was stored, and is not there: ${upload.grant.key} ${answer.status}, ${answer.body.length} bytes`)
    }
    return "same"
  }

  /** Asks for the answer again, as a client does that never got it. */
  const repeat = async (upload: Upload): Promise<unknown> => {
    while (!isHopeless()) {
      const answer = await exchange(await locate(upload), {
        method: "PUT",
        headers: { range: formatUploadRange(upload.content.length), "content-type": "application/octet-stream" },
      })
      if (answer?.status === 200) return JSON.parse(answer.body.toString()).serverData
      if (answer !== undefined && answer.status < 502 && !renew(upload, answer))
        violate(`repeated: ${explain(upload, answer)}`)
      await sleep(20)
    }
  }

  /** One upload from its first byte to its end. */
  const run = async (): Promise<Upload> => {
    const upload = await createUpload()
    if (upload.fate === "abandoned") await abandon(upload)
    else if (upload.fate === "lying") await lie(upload)
    else if (upload.fate === "replaced") await replace(upload)
    else if (upload.fate === "deleted midway") {
      await register(upload)
      await begin(upload)
    } else await finish(upload)
    if (upload.fate === "claimed") await claim(upload)
    else if (upload.fate === "unclaimed") await leave(upload)
    else if (isHeld(upload)) await judge(upload)
    else if (isDeletion(upload)) await remove(upload)
    counts.uploads++
    counts.bytes += upload.content.length
    return upload
  }

  return { run, verify, repeat, call }
}
