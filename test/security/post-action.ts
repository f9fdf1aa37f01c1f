import { names, type PresignedUpload } from "../../src/protocol.ts"

/** Asks a route of an app for an action over HTTP, as browsers do. */
export const postAction = (
  appUrl: string,
  action: "upload" | "renew",
  slug: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${appUrl}?${new URLSearchParams({ [names.action.type]: action, [names.action.slug]: slug })}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

/** The signed uploads of an action that must have gone well. */
export const presignedOf = async (response: Response): Promise<ReadonlyArray<PresignedUpload>> => {
  const text = await response.text()
  if (!response.ok) throw new Error(`The action got ${response.status}: ${text}`)
  return JSON.parse(text)
}
