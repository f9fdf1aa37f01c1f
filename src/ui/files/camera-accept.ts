import type { RouteConfig } from "../../protocol/files/route-config.ts"

/** What to request from a camera. */
export interface CameraAccept {
  readonly kind: "photo" | "video"
  /** The `accept` attribute of its input. */
  readonly accept: string
}

/** Types that no camera makes. */
const drawn: ReadonlySet<string> = new Set(["image/svg+xml", "image/gif"])

/** What a route takes from a camera: photos, or videos where it takes no images; undefined for neither. */
export const toCameraAccept = (config: RouteConfig): CameraAccept | undefined => {
  const kinds = Object.keys(config)
  const list = (family: "image" | "video"): string =>
    kinds.includes(family) || (family === "image" && kinds.includes("blob"))
      ? `${family}/*`
      : kinds.filter((kind) => kind.startsWith(`${family}/`) && !drawn.has(kind)).join(",")
  const [photo, video] = [list("image"), list("video")]
  if (photo !== "") return { kind: "photo", accept: photo }
  return video === "" ? undefined : { kind: "video", accept: video }
}
