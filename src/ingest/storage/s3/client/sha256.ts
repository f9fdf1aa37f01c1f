import type { Hash, Hmac, KeyObject } from "node:crypto"

type NodeCrypto = typeof import("node:crypto")

const nodeCrypto = (
  globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
).process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined

const encoder = new TextEncoder()

const toBytes = (data: Data): Uint8Array<ArrayBuffer> => {
  if (typeof data === "string") return encoder.encode(data)
  return (
    ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
  ) as Uint8Array<ArrayBuffer>
}

type Data = ArrayBuffer | ArrayBufferView | string

/** SHA-256, or HMAC of it, in the form that the signer asks for. */
interface Sha256 {
  readonly update: (data: Uint8Array) => void
  readonly digest: () => Promise<Uint8Array>
  readonly reset: () => void
}

type Sha256Constructor = new (secret?: Data) => Sha256

/** Keeps the keys that signing goes on using: to import one costs as much as to sign with it. */
const createKeys = ({ createSecretKey }: NodeCrypto) => {
  const ofBytes = new WeakMap<object, KeyObject>()
  let last: { readonly secret: string; readonly key: KeyObject } | undefined
  return (secret: Data): KeyObject => {
    if (typeof secret === "string") {
      if (last?.secret !== secret) last = { secret, key: createSecretKey(toBytes(secret)) }
      return last.key
    }
    let key = ofBytes.get(secret)
    if (key === undefined) ofBytes.set(secret, (key = createSecretKey(toBytes(secret))))
    return key
  }
}

const byNode = (crypto: NodeCrypto): Sha256Constructor => {
  const { createHash, createHmac } = crypto
  const toKey = createKeys(crypto)
  return class {
    readonly #hash: Hash | Hmac
    constructor(secret?: Data) {
      this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", toKey(secret))
    }
    update(data: Uint8Array): void {
      this.#hash.update(data)
    }
    async digest(): Promise<Uint8Array> {
      return this.#hash.digest()
    }
    reset(): void {}
  }
}

const byWeb = (): Sha256Constructor =>
  class {
    readonly #secret: Data | undefined
    readonly #pieces: Array<Uint8Array<ArrayBuffer>> = []
    constructor(secret?: Data) {
      this.#secret = secret
    }
    update(data: Uint8Array): void {
      this.#pieces.push(toBytes(data))
    }
    async digest(): Promise<Uint8Array> {
      const { subtle } = globalThis.crypto
      const data = await new Blob(this.#pieces).arrayBuffer()
      if (this.#secret === undefined) return new Uint8Array(await subtle.digest("SHA-256", data))
      const algorithm = { name: "HMAC", hash: "SHA-256" }
      const key = await subtle.importKey("raw", toBytes(this.#secret), algorithm, false, ["sign"])
      return new Uint8Array(await subtle.sign("HMAC", key, data))
    }
    reset(): void {}
  }

/** By Node's module where there is one: it is synchronous inside and costs a third. */
export const Sha256: Sha256Constructor = nodeCrypto === undefined ? byWeb() : byNode(nodeCrypto)

/** SHA-256 of pieces, one after the other; 64 lower-case hex digits. */
export const hashPieces = async (pieces: ReadonlyArray<Uint8Array>): Promise<string> => {
  if (nodeCrypto !== undefined && pieces.length === 1) return nodeCrypto.hash("sha256", pieces[0]!)
  const hash = new Sha256()
  for (const piece of pieces) hash.update(piece)
  return [...(await hash.digest())].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** SHA-256 of nothing, which requests without a body are signed with. */
export const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
