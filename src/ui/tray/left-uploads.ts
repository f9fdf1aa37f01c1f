import type { InterruptedUpload } from "../../client/resume/resume-store.ts"
import { nameAsBefore } from "../controller/interrupted-uploads.ts"
import { oneAtATime } from "../controller/one-at-a-time.ts"
import { isSameFile } from "../controller/upload-item.ts"
import type { UploadState } from "../controller/upload-state.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { Uploads } from "./uploads.ts"

/** The remaining interrupted uploads, and files that were chosen for one of them but are other files. */
type LeftState = Pick<UploadState, "interrupted" | "otherFile">

/** Uploads that a reload has interrupted and that no component on the page offers: those of routes on other pages. */
export interface LeftUploads extends Pick<
  UploadController,
  "continueInterrupted" | "discardInterrupted" | "continueWith" | "answerOtherFile"
> {
  /** The same object until something changes. */
  readonly getState: () => LeftState
  /** Takes files, and recognises those of interrupted uploads among them. */
  readonly addFiles: (files: Iterable<File>) => void
  /** Hides those that are shown now. Later ones are shown. */
  readonly putAway: () => void
  /** Call it in a page. @returns stops it */
  readonly connect: () => () => void
}

/**
 * Finds uploads that a reload has interrupted, and resumes them as the app's own uploads: with the route and the input
 * that they had.
 *
 * @param tell called when something has changed
 */
export const createLeftUploads = (uploads: Uploads<any>, tell: () => void): LeftUploads => {
  const { resumeStore } = uploads.setup.options
  let found: ReadonlyArray<InterruptedUpload> = []
  let otherFile: LeftState["otherFile"]
  let state: LeftState = { interrupted: [], otherFile }
  const away = new Set<string>()

  /** Listed uploads are shown in their list, wherever that is. */
  const isOpen = (entry: InterruptedUpload): boolean =>
    !away.has(entry.id) &&
    !entry.isField &&
    !uploads.isAttended(entry.slug) &&
    !uploads.getState().files.some(({ file, status }) => file && status !== "aborted" && isSameFile(entry, file))
  const show = () => {
    const interrupted = found.filter(isOpen)
    const toText = (entries: LeftState["interrupted"]) => entries.map(({ id, loaded }) => `${id} ${loaded}`).join()
    if (toText(interrupted) === toText(state.interrupted) && otherFile === state.otherFile) return
    state = { interrupted, otherFile }
    tell()
  }
  const look = oneAtATime(async () => {
    found = (await resumeStore?.list().catch(() => [])) ?? []
    if (!found.some(({ id }) => id === otherFile?.id)) otherFile = undefined
    show()
  })
  const find = (id: string) => state.interrupted.find((entry) => entry.id === id)
  /** The file's record is found by its fingerprint, so nothing is sent twice. */
  const send = ({ slug, input }: InterruptedUpload, files: ReadonlyArray<File>): void => {
    const add = uploads.addFiles as (slug: string, files: ReadonlyArray<File>, options: object) => Promise<unknown>
    void add(slug, files, { input }).then(look)
    show()
  }

  return {
    getState: () => state,
    continueInterrupted: async (id) => {
      const entry = find(id)
      const file = await entry?.reopen?.().catch(() => undefined)
      if (entry === undefined || file === undefined) return false
      send(entry, [nameAsBefore(entry, file, resumeStore)])
      return true
    },
    discardInterrupted: (id) => {
      uploads.discardInterrupted(id)
      void resumeStore?.remove(id).then(look, look)
    },
    continueWith: (id, incoming) => {
      const entry = find(id)
      const files = [...incoming].map((file) => (entry ? nameAsBefore(entry, file, resumeStore) : file))
      const same = entry && files.find((file) => isSameFile(entry, file))
      if (entry === undefined || files.length === 0) return
      otherFile = same ? undefined : { id, files }
      if (same) send(entry, [same])
      show()
    },
    addFiles: (incoming) => {
      const files = [...incoming]
      const others = files.filter((file) => {
        const entry = state.interrupted.find((each) => isSameFile(each, file))
        if (entry) send(entry, [file])
        return entry === undefined
      })
      const [first] = state.interrupted
      if (others.length > 0 && first) otherFile = { id: first.id, files: others }
      show()
    },
    answerOtherFile: (isWanted) => {
      const given = otherFile
      const entry = given && find(given.id)
      otherFile = undefined
      if (isWanted && entry) send(entry, given.files)
      show()
    },
    putAway: () => {
      for (const { id } of state.interrupted) away.add(id)
      show()
    },
    connect: () => {
      let known = ""
      const unsubscribe = uploads.subscribe(() => {
        const { files, isUploading } = uploads.getState()
        // Uploads that have ended, or left the list, are forgotten or remembered by now.
        const now = `${files.length} ${isUploading}`
        if (now !== known) void look()
        else show()
        known = now
      })
      const unattend = uploads.onAttend(() => void look())
      const stop = resumeStore?.subscribe?.(() => void look())
      void look()
      return () => {
        unsubscribe()
        stop?.()
        unattend()
      }
    },
  }
}
