/**
 * The public name of an API key: `key_` and the first twelve hex digits of its SHA-256. It reveals nothing of the key,
 * and anybody who has the key can compute it.
 */
export const createKeyId = (apiKey: string): string => {
  const { hash } = process.getBuiltinModule("node:crypto")
  return `key_${hash("sha256", apiKey).slice(0, 12)}`
}
