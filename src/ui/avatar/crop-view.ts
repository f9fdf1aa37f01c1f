/** The size of a picture, pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** The square of a picture that is kept, in the picture's pixels: left upper corner and side. */
export interface Crop {
  readonly x: number
  readonly y: number
  readonly side: number
}

/** A point in the square, as parts of its side: 0.5, 0.5 is its middle. */
export interface Place {
  readonly x: number
  readonly y: number
}

const middle: Place = { x: 0.5, y: 0.5 }

const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most)

const shorter = ({ width, height }: PictureSize): number => Math.min(width, height)

/** Keeps a square inside its picture. */
const keepInside = ({ width, height }: PictureSize, { x, y, side }: Crop): Crop => ({
  x: within(x, width - side),
  y: within(y, height - side),
  side,
})

/** The largest square, in the middle. */
export const startCrop = (picture: PictureSize): Crop => {
  const side = shorter(picture)
  return { x: (picture.width - side) / 2, y: (picture.height - side) / 2, side }
}

/** How much the picture can be enlarged: a large one down to a face in a group, a small one not until it is blurred. */
export const toMaxZoom = (picture: PictureSize, size: number): number =>
  within(shorter(picture) / (size / 2) - 2, 8) + 2

/** How much larger than at first the picture is shown: 1 is all of it. */
export const toZoom = (picture: PictureSize, { side }: Crop): number => shorter(picture) / side

/** Moves the picture below the square, in parts of the square's side: 0.5 is half of it to the right. */
export const moveCrop = (picture: PictureSize, { x, y, side }: Crop, by: Place): Crop =>
  keepInside(picture, { x: x - by.x * side, y: y - by.y * side, side })

/** Enlarges or shrinks the picture; the point of the square that is given stays in place, as far as the picture allows. */
export const zoomCrop = (
  picture: PictureSize,
  { x, y, side }: Crop,
  zoom: number,
  maxZoom: number,
  at: Place = middle,
): Crop => {
  const next = shorter(picture) / Math.min(Math.max(zoom, 1), maxZoom)
  return keepInside(picture, { x: x + at.x * (side - next), y: y + at.y * (side - next), side: next })
}

/**
 * Where the square is, whole percent: 0, 0 is the left upper corner of the picture. A direction without room to move is
 * in the middle.
 */
export const toPosition = (
  { width, height }: PictureSize,
  { x, y, side }: Crop,
): { readonly across: number; readonly down: number } => {
  const part = (at: number, room: number) => Math.round(room < 0.5 ? 50 : (at / room) * 100)
  return { across: part(x, width - side), down: part(y, height - side) }
}
