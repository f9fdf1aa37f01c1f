import type { Catalog, FileRecord, ResultRecord } from "../../ingest.ts"
import { toFileJson } from "../inspect/file-json.ts"
import type { Saved } from "./save-file.ts"

/** JSON as its app sent it; what is none stays text. */
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toResult = (result: ResultRecord | null): unknown => {
  if (result === null) return null
  return "data" in result ? { data: readJson(result.data) } : result
}

/**
 * Everything that is known of a file, for `files.json`. Times in ms since the epoch. Source: docs/cli.md.
 *
 * @param saved what became of its bytes; undefined where none are stored
 */
export const toExportEntry = async (catalog: Catalog, file: FileRecord, saved: Saved | undefined): Promise<object> => {
  const found = await catalog.get(file.key)
  // Its key may be another file's by now.
  const upload = found?.file.id === file.id ? found : null
  const delivery = upload?.delivery ?? null
  const attempts = delivery === null ? [] : await catalog.listAttempts(delivery.id)
  const isSaved = saved !== undefined && "path" in saved
  return {
    ...toFileJson(file),
    savedAs: isSaved ? saved.path : null,
    damage: saved === undefined || isSaved ? null : saved.kind,
    metadata: upload?.registration ? readJson(upload.registration.metadata) : null,
    registeredAt: upload?.registration?.registeredAt ?? null,
    result: toResult(upload?.result ?? null),
    resultAt: upload?.resultAt ?? null,
    delivery: delivery && {
      id: delivery.id,
      hook: delivery.hook,
      status: delivery.status,
      attempts: delivery.attempts,
      callbackUrl: upload?.registration?.callbackUrl ?? null,
      history: attempts,
    },
  }
}
