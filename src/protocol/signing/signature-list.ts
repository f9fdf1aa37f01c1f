import { digestOf, type Signer } from "./signature.ts"

/** How many signatures of one payload are checked; there are two while a key is being replaced. */
const most = 4

/** Signs one payload with each of the keys: `hmac-sha256=<hex>, hmac-sha256=<hex>`. Source: docs/protocol.md §8. */
export const signWithEach = async (payload: string, signers: ReadonlyArray<Signer>): Promise<string> =>
  (await Promise.all(signers.map((signer) => signer.sign(payload)))).join(", ")

const signaturesOf = (list: string): ReadonlyArray<string> => list.split(",", most).map((each) => each.trim())

/** Whether something in the list has the form of a signature; what it signs need not be known. */
export const hasSignature = (list: string): boolean => signaturesOf(list).some((each) => digestOf(each) !== undefined)

/** Whether one of the listed signatures is this key's. Source: docs/protocol.md §8. */
export const verifyOneOf = async (payload: Uint8Array, list: string, signer: Signer): Promise<boolean> => {
  for (const signature of signaturesOf(list)) if (await signer.verify(payload, signature)) return true
  return false
}
