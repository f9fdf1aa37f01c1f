import { createEventId } from "../../event-id.ts"
import type { EventFile } from "../catalog/endpoints.ts"
import type { FileRecord } from "../catalog/records.ts"
import { decideEvents, type Known } from "../decide-events.ts"
import { toFileStatus } from "../file-status.ts"
import type { Row, Tables } from "./rows.ts"

const toEventFile = (file: FileRecord): EventFile => ({
  key: file.key,
  name: file.name,
  size: file.size,
  type: file.type,
  customId: file.customId,
  slug: file.slug,
  owner: file.owner,
  path: file.path,
  origin: file.origin,
  status: toFileStatus(file),
  fileHash: file.fileHash,
  uploadedAt: file.uploadedAt,
  removeAt: file.removeAt,
  claimBy: file.claimBy,
  failure: file.failure,
})

/** Makes what writes an event for each endpoint that hears of what a file has become. */
export const createNoteChange =
  ({
    endpoints,
    events,
    eventNumbers,
  }: Pick<Tables, "endpoints" | "events" | "eventNumbers">): ((row: Row, before: Known | undefined) => void) =>
  (row, before) => {
    const concerned = [...endpoints.values()].filter(({ appId }) => appId === row.file.appId)
    if (concerned.length === 0) return
    for (const { type, at } of decideEvents(before, row)) {
      for (const endpoint of concerned.filter((each) => each.events.includes(type))) {
        const id = createEventId()
        const delivery = { status: "pending", attempts: 0, failures: 0, redeliveredAfter: 0, nextAt: at } as const
        const file = toEventFile(row.file)
        events.set(id, { number: ++eventNumbers.last, id, endpointId: endpoint.id, type, at, file, ...delivery })
      }
    }
  }
