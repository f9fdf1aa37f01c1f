import { deflateSync } from "node:zlib"

const crc = (bytes: Uint8Array): number => {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

const pngChunk = (name: string, data: Buffer): Buffer => {
  const [size, end] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  const content = Buffer.concat([Buffer.from(name), data])
  end.writeUInt32BE(crc(content))
  return Buffer.concat([size, content, end])
}

/** A black PNG that says of itself how large it is; all of it is there only with as many rows as it is high. */
export const makePng = (width: number, height: number, rows = 1): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const row = Buffer.alloc(1 + Math.ceil(width / 8))
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)))),
    pngChunk("IEND", Buffer.alloc(0)),
  ])
}
