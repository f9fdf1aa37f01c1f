import { names } from "../names.ts"
import type { Signer } from "./signature.ts"

/** The value of the header `accept` of a callback whose sender reads the result in the answer. */
export const acceptsResult = "result"

/** The attempt at an event that an answer belongs to. */
export interface Answered {
  /** `evt_…` */
  readonly id: string
  readonly attempt: number
}

/** Begins with a label: what is signed as an answer is nothing else that this key signs, and belongs to one attempt. */
const toPayload = ({ id, attempt }: Answered, body: string): string =>
  `${names.word}-result\n${id}\n${attempt}\n${body}`

/** Signs the body of an answer to a callback: `hmac-sha256=<hex>`. Source: docs/protocol.md §8. */
export const signAnswer = async (answered: Answered, body: string, signer: Signer): Promise<string> =>
  signer.sign(toPayload(answered, body))

/** Whether one of the keys has signed this answer to this attempt. Source: docs/protocol.md §8. */
export const verifyAnswer = async (
  answered: Answered,
  body: string,
  signature: string,
  signers: ReadonlyArray<Signer>,
): Promise<boolean> => {
  const payload = toPayload(answered, body)
  for (const signer of signers) if (await signer.verify(payload, signature)) return true
  return false
}
