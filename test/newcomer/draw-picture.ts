import { crc32, deflateSync } from "node:zlib"

/** A PNG of 320 × 200 with a colour of its own, so that a preview of it can be seen. */
export const drawPicture = (hue: number): Buffer => {
  const [width, height] = [320, 200]
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set([(x >> 1) + hue, y, 160], y * (width * 3 + 1) + 1 + x * 3)
  }
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8 + body.length)
    frame.writeUInt32BE(data.length)
    body.copy(frame, 4)
    frame.writeUInt32BE(crc32(body), 4 + body.length)
    return frame
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}
