import { codeNotLoaded } from "../texts/code-not-loaded.ts"
import { forgiveFile, refuseFile } from "../files/folder-mistakes.ts"
import { holdSubmit } from "../form/hold-submit.ts"
import type { KindContext } from "../markup/component.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadItem, UploadState } from "../controller/upload-state.ts"

/**
 * Lets the user crop a chosen picture before it is listed: the route's limits apply to the crop, not to the photo it
 * is made from. The code that crops is loaded with the first picture. Of several files only the first picture is
 * taken. A form is not sent while its picture is being cropped.
 */
export const cropChosen = (controller: UploadController<any>, context: KindContext): UploadController<any> => {
  let latest: AbortController | undefined
  /** Pictures for which the cropping code could not be loaded. */
  const lost = new WeakSet<File>()
  const isLost = ({ file, status }: UploadItem): boolean => status === "failed" && file !== undefined && lost.has(file)
  let seen: UploadState<any> | undefined
  let shown: UploadState<any> | undefined

  /** A picture that was not cropped can be retried; the controller itself would send it uncropped. */
  const getState = (): UploadState<any> => {
    const state = controller.getState()
    if (state === seen) return shown!
    const { files, summary } = (seen = shown = state)
    if (!files.some((item) => isLost(item) && !item.canRetry)) return state
    const offered = files.map((item) => (isLost(item) ? { ...item, canRetry: true } : item))
    const canRetry = offered.filter(({ status, canRetry }) => status === "failed" && canRetry).length
    return (shown = { ...state, files: offered, summary: { ...summary, canRetry } })
  }

  const crop = async (file: File) => {
    latest?.abort()
    const { signal } = (latest = new AbortController())
    const held = holdSubmit(context.id, context.root(), () => true)
    let made: File | undefined
    try {
      const [{ cropPicture }] = await Promise.all([import("./crop-picture.ts"), controller.preload()])
      if (controller.loaded() === undefined) throw new Error("The engine is not loaded.")
      made = await cropPicture(file, { ...context, routeConfig: controller.getState().routeConfig, signal })
    } catch (cause) {
      made = file
      lost.add(file)
      refuseFile(file, codeNotLoaded(cause))
    }
    if (made === undefined || signal.aborted) return held.end()
    controller.addFiles([made])
    // The row shows what went wrong.
    if (controller.getState().files.some(({ status }) => status === "failed")) held.end()
    else held.release()
  }

  return {
    ...controller,
    getState,
    resumeUpload: (id) => {
      const item = controller.getState().files.find((each) => isLost(each) && (id === undefined || each.id === id))
      if (item === undefined) return controller.resumeUpload(id)
      // A controller whose code is not loaded would list it next to the new one.
      if (controller.loaded() === undefined) controller.removeFile(item.id)
      forgiveFile(item.file!)
      void crop(item.file!)
    },
    addFiles: (incoming) => {
      const files = [...incoming]
      const file = files.find(({ type }) => type.startsWith("image/")) ?? files[0]
      if (file === undefined || controller.getState().isDisabled) return
      if (context.config().crop === false) controller.addFiles([file])
      else void crop(file)
    },
    connect: () => {
      const disconnect = controller.connect()
      return () => {
        latest?.abort()
        disconnect()
      }
    },
  }
}
