import { envName, parseToken, type Token } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"

/** A token's text and its content. */
export interface GivenToken {
  readonly text: string
  readonly token: Token
}

/**
 * The token of the environment (`SLUICE_TOKEN`); undefined where there is none.
 *
 * Fails: throws a {@link CommandFailure} when it is not valid.
 */
export const readTokenVariable = (): GivenToken | undefined => {
  const text = process.env[envName("token")]
  if (!text) return undefined
  const parsed = parseToken(text)
  if (!parsed.ok) throw new CommandFailure(`${envName("token")} is not valid. ${parsed.detail}`)
  return { text, token: parsed.value }
}
