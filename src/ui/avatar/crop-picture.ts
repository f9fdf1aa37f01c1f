import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { createFindKind } from "../files/check-files.ts"
import { findFolderMistake, refuseFile } from "../files/folder-mistakes.ts"
import { toMainId } from "../page/element-ids.ts"
import type { KindContext } from "../markup/component.ts"
import { askForCrop } from "./crop-dialog.ts"
import { decodePicture } from "./decode-picture.ts"
import { encodeCrop, listCropTypes } from "./encode-crop.ts"
import { createPictureTexts } from "./picture-texts.ts"

interface CropContext extends KindContext {
  readonly routeConfig: RouteConfig | undefined
  /** Ends it without a result. */
  readonly signal: AbortSignal
}

/**
 * Lets the user crop a picture.
 *
 * Shape: the file to upload; the original file, to be listed as failed, where it is not a picture; undefined where the
 *        user has cancelled.
 * Fails: never.
 */
export const cropPicture = async (file: File, context: CropContext): Promise<File | undefined> => {
  const { id, root, texts, config, routeConfig, signal } = context
  const options = config().crop || {}
  const say = createPictureTexts(texts)
  if (findFolderMistake(file, texts) !== undefined) return file
  // Nothing decodes pictures here, as in jsdom: whatever is chosen goes as it is.
  if (globalThis.createImageBitmap === undefined) return file
  // A route for GIF, or for drawings, takes no type that a browser can encode.
  if (listCropTypes(options.type, true, routeConfig).length === 0) return file

  const refuse = (cause: unknown): File => {
    // The route has a text of its own for types that it does not take.
    const isRefused = file.type !== "" && routeConfig !== undefined && createFindKind(routeConfig)(file) === undefined
    const message = isRefused ? texts.typeNotAllowed(routeConfig) : say.unreadable()
    refuseFile(file, new UploadError({ code: "FILE_TYPE_NOT_ALLOWED", message, cause }))
    return file
  }
  if (file.type !== "" && !file.type.startsWith("image/")) return refuse(undefined)

  try {
    const picture = await decodePicture(file, 2 * (options.size ?? 512))
    try {
      const parent = signal.aborted ? null : root().getElementById(id)
      const crop = parent && (await askForCrop(parent, picture, { id, options, say, cancel: texts.cancel(), signal }))
      if (!crop) return undefined
      return await encodeCrop(picture, crop, options, routeConfig, file.name)
    } finally {
      picture.close()
      const { activeElement } = document
      if (!signal.aborted && (activeElement === null || activeElement === document.body)) {
        ;(root().getElementById(toMainId(id)) as HTMLElement | null)?.focus()
      }
    }
  } catch (cause) {
    return refuse(cause)
  }
}
