import type { DirectAnswer, DirectQuestion } from "../../protocol/messages.ts"
import type { Service } from "../service.ts"
import { toBlobName } from "../storage/blob-name.ts"
import { begin } from "./begin.ts"
import { removeLate } from "./end-upload.ts"
import { letIn } from "./let-in.ts"
import type { ProvenUpload } from "./proven-put.ts"

/** What is granted, and why the store grants nothing, for the operator. */
export interface Directed {
  readonly answer: DirectAnswer
  readonly refusal?: string | undefined
}

const byIngest: Directed = { answer: { transport: "ingest" } }

/**
 * Begins an upload whose bytes go past the ingest, or goes on with it: signs URLs for parts of the file.
 *
 * Fails: rejects with `Rejected`, as {@link begin} and the store do; LOCKED where a newer request took over.
 */
export const direct = async (service: Service, upload: ProvenUpload, question: DirectQuestion): Promise<Directed> => {
  const { store, catalog, writers } = service
  const { key, size, expires } = upload.grant
  if (store.grantParts === undefined || size <= catalog.abilities.largestContent) return byIngest
  await letIn(service, upload)
  const writer = await writers.take(key, upload.grant)
  try {
    const begun = await begin(service, upload, writer)
    // The PUT that follows is answered at once, whatever its body.
    if (begun.kind === "finished") return byIngest
    const { epoch, id } = begun
    const { parts } = question
    const granted = await store
      .grantParts(toBlobName({ key, id }), { epoch, size, parts, until: expires, now: service.now() })
      .catch((cause: unknown) => {
        void removeLate(service, key, id)
        throw cause
      })
    void catalog.processes?.letGo(key, epoch).catch(() => {})
    if (granted.kind === "refused") return { ...byIngest, refusal: granted.why }
    const { partSize, stored, uploads } = granted
    return { answer: { transport: "direct", partSize, stored, uploads } }
  } finally {
    writer.letGo()
  }
}
