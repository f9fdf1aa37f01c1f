/** Standard base64, padded. */
export const encodeBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Base64 with the characters of URLs, without padding. Source: RFC 4648 §5. */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

/** Fails: throws where it is not base64. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

/** Fails: throws where it is not base64 for URLs. */
export const decodeBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"))
