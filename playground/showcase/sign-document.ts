import { SluiceApi } from "../../src/api.ts"
import { findUploads } from "./kept-uploads.ts"

const api = new SluiceApi()

/** A URL by which a private document can be read for 60 seconds; undefined unless it is this guest's. */
export const signDocument = async (guest: string | undefined, key: string): Promise<string | undefined> => {
  if (guest === undefined) return undefined
  const { document } = await findUploads(guest)
  return document.some((each) => each.key === key) ? api.generateSignedURL(key, { expiresIn: 60 }) : undefined
}
