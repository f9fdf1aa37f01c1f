/** A small picture of a file. */
export interface Thumbnail {
  /** An object URL; the owner of the thumbnail has to revoke it. */
  readonly url: string
  /** Pixels. */
  readonly width: number
  readonly height: number
}

const limits = {
  /** Side of a thumbnail, pixels. */
  side: 192,
  /** Of a picture, before it is decoded: the largest cameras of phones have 50 million, at 4 bytes each while it is read. */
  pixels: 64e6,
  /** The part of a file in which a picture states its size, bytes. */
  header: 64 * 1024,
  /** Of a picture's file, bytes. */
  imageSize: 128e6,
  /** Of a drawing's file, bytes. */
  vectorSize: 1e6,
  /** How many times a drawing may repeat parts of itself: a few dozen can stand for millions of shapes. */
  uses: 24,
  /** How long a video may take to show its first frame, ms. */
  video: 5000,
}

type Size = Pick<Thumbnail, "width" | "height">

/** The size in which a picture is shown: never larger than it is. Fails: throws where it must not be decoded. */
const shrink = (width: number, height: number): Size => {
  if (!(width > 0 && height > 0 && width * height <= limits.pixels)) throw new Error("has no size to show")
  const scale = Math.min(1, limits.side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

const until = (target: EventTarget, event: string, ms?: number) =>
  new Promise<void>((resolve, reject) => {
    target.addEventListener(event, () => resolve(), { once: true })
    target.addEventListener("error", reject, { once: true })
    if (ms !== undefined) setTimeout(reject, ms)
  })

const draw = async (source: CanvasImageSource, { width, height }: Size): Promise<Thumbnail> => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height })
  canvas.getContext("2d")!.drawImage(source, 0, 0, width, height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/webp", 0.85))
  canvas.width = canvas.height = 0 // Safari keeps the pixels of a canvas for a while
  if (blob === null) throw new Error("could not be drawn")
  return { url: URL.createObjectURL(blob), width, height }
}

/**
 * Loads a file into an `<img>` outside of the page, where its pixels are not decoded.
 *
 * Fails: rejects where that is no picture, or nothing decodes pictures: an `<img>` of jsdom is silent for ever.
 */
const load = async (blob: Blob): Promise<HTMLImageElement> => {
  if (globalThis.createImageBitmap === undefined) throw new Error("cannot be decoded here")
  const url = URL.createObjectURL(blob)
  try {
    const image = new Image()
    image.src = url
    await until(image, "load")
    if (image.naturalWidth === 0) throw new Error("has no size")
    return image
  } finally {
    URL.revokeObjectURL(url)
  }
}

/**
 * The size of a picture in any format that the browser knows. Usually its first bytes contain it. Reading only those
 * matters, because browsers keep all that an `<img>` has loaded for a while: a hundred photos with all their
 * megabytes.
 */
export const readSize = (file: File): Promise<HTMLImageElement> =>
  load(file.slice(0, limits.header, file.type)).catch((error: unknown) => {
    if (file.size <= limits.header) throw error
    return load(file)
  })

/** Loads a drawing, unless it could stand for millions of shapes. In an image it runs no scripts and loads nothing. */
export const loadDrawing = async (file: File): Promise<HTMLImageElement> => {
  if (file.size > limits.vectorSize) throw new Error("is too large")
  const text = await file.text()
  if (text.includes("<!ENTITY") || text.split("<use").length - 1 > limits.uses) throw new Error("repeats itself")
  return load(file)
}

const drawVector = async (file: File): Promise<Thumbnail> => {
  const image = await loadDrawing(file)
  return draw(image, shrink(image.naturalWidth, image.naturalHeight))
}

const drawImage = async (file: File): Promise<Thumbnail> => {
  if (file.type.startsWith("image/svg")) return drawVector(file)
  if (file.size > limits.imageSize) throw new Error("is too large")
  const { naturalWidth, naturalHeight } = await readSize(file)
  const size = shrink(naturalWidth, naturalHeight)
  const bitmap = await createImageBitmap(file, {
    resizeWidth: size.width,
    resizeHeight: size.height,
    resizeQuality: "medium",
  })
  try {
    return await draw(bitmap, size)
  } finally {
    bitmap.close()
  }
}

const drawVideo = async (file: File): Promise<Thumbnail> => {
  const url = URL.createObjectURL(file)
  const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "metadata" })
  try {
    video.src = url
    await until(video, "loadedmetadata", limits.video)
    const size = shrink(video.videoWidth, video.videoHeight)
    // Safari has no frame before one is requested, and the very first is often black.
    video.currentTime = Math.min(0.1, video.duration / 2 || 0)
    await until(video, "seeked", limits.video)
    return await draw(video, size)
  } finally {
    video.removeAttribute("src")
    video.load()
    URL.revokeObjectURL(url)
  }
}

/**
 * Makes a small picture of a file: of an image, or of the first frame of a video.
 *
 * Units:  at most 192 × 192 pixels, in the proportions of the original.
 * Fails:  rejects where the browser cannot show the file, or must not try: it is too large, or has no size.
 */
export const makeThumbnail = (file: File, isVideo: boolean): Promise<Thumbnail> =>
  isVideo ? drawVideo(file) : drawImage(file)
