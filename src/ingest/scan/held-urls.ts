import { names } from "../../protocol/names.ts"
import { accept, type Outcome, refuse } from "../../protocol/errors/outcome.ts"
import { createSigner } from "../../protocol/signing/signature.ts"
import { signUrl, verifySignedUrl } from "../../protocol/signing/signed-url.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"

/** What a scanner may do by a URL: read a file that is held, or judge it. */
export type HeldPurpose = "read" | "judge"

/** Signs URLs for the scanner, by a key that is nobody else's. */
export interface HeldUrls {
  /**
   * A URL for one purpose and one file.
   *
   * @param base    where the scanner reaches the ingest
   * @param expires ms since the epoch
   */
  readonly sign: (
    purpose: HeldPurpose,
    base: string,
    file: Pick<FileRecord, "id" | "key">,
    expires: number,
  ) => Promise<string>
  /**
   * The file that a URL is for. It may be held no more.
   *
   * @param path path and query below the base URL, as received
   *
   * Fails: as a value, INVALID_SIGNATURE, EXPIRED_URL.
   */
  readonly verify: (purpose: HeldPurpose, path: string, now: number) => Promise<Outcome<Pick<FileRecord, "id" | "key">>>
  /** A name for the file, which tells nobody else anything. */
  readonly nameOf: (file: Pick<FileRecord, "id" | "key">) => Promise<string>
}

const folders = { read: names.path.heldFile, judge: names.path.verdict } as const satisfies Record<HeldPurpose, string>

/** What the key is derived for, so that it is no other one of the same secret. */
const info = `${names.word}-scan-1`

/**
 * Makes them for a scanner's secret. The key is derived from it by HKDF-SHA256, so that whoever signs requests with the secret has
 * not signed a URL.
 *
 * What is signed begins below the base URL: the scanner may reach the ingest at another address than everybody else.
 *
 * Source: docs/protocol.md §10.
 */
export const createHeldUrls = (secret: Uint8Array): HeldUrls => {
  const { hkdfSync } = process.getBuiltinModule("node:crypto")
  const signer = createSigner(Buffer.from(hkdfSync("sha256", secret, new Uint8Array(), info, 32)).toString("hex"))
  return {
    sign: async (purpose, base, { key, id }, expires) => {
      const path = `/${folders[purpose]}/${key}/${id}?${names.query.expires}=${expires}`
      return base + (await signUrl(path, signer))
    },
    verify: async (purpose, path, now) => {
      const verified = await verifySignedUrl(path, signer)
      if (!verified.ok) return verified
      const [, folder, key, id, expires] = /^\/(\w+)\/([\w-]+)\/(\d+)\?\w+=(\d+)$/.exec(verified.value) ?? []
      if (folder !== folders[purpose] || key === undefined) {
        return refuse(
          "INVALID_SIGNATURE",
          "The URL is for something else. Use each URL as the request to the scanner says.",
        )
      }
      return Number(expires) > now
        ? accept({ key, id: Number(id) })
        : refuse("EXPIRED_URL", "The URL has expired. The scanner is asked again, with new URLs.")
    },
    nameOf: async ({ key, id }) => `scan_${(await signer.sign(`${key}\n${id}`)).split("=")[1]!.slice(0, 32)}`,
  }
}
