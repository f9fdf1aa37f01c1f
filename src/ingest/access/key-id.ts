const nameOf = (kind: string, secret: string): string => {
  const { hash } = process.getBuiltinModule("node:crypto")
  return `${kind}_${hash("sha256", secret).slice(0, 12)}`
}

/**
 * The public name of an API key: `key_` and the first twelve hex digits of its SHA-256. It reveals nothing of the key,
 * and anybody who has the key can compute it.
 */
export const createKeyId = (apiKey: string): string => nameOf("key", apiKey)

/** The public name of an endpoint's secret, made in the same way: `sec_…`. */
export const createSecretId = (secret: string): string => nameOf("sec", secret)
