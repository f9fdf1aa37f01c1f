/**
 * The name of an API key for people: `key_` and the first twelve hex digits of its SHA-256. It gives nothing of the key
 * away, and whoever has the key can work it out.
 */
export const createKeyId = (apiKey: string): string => {
  const { hash } = process.getBuiltinModule("node:crypto")
  return `key_${hash("sha256", apiKey).slice(0, 12)}`
}
