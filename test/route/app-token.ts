import { encodeAppId, encodeToken, type Token } from "../../src/protocol.ts"

/** The app of these tests. */
export const apiKey = "sk_test_3b1f9c0d7e5a48c2"
export const appId = "app-under-test"
export const ingestUrl = "http://ingest.test"

export const encodedAppId = encodeAppId(appId)

export const createToken = (fields: Partial<Token> = {}): string =>
  encodeToken({ apiKey, appId, regions: ["local"], ingestUrl, ...fields })

export const token = createToken()

/** What no log line may hold. */
export const secrets: ReadonlyArray<string> = [apiKey, apiKey.slice(3), token, token.slice(0, 40)]
