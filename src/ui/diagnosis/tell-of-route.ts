import { adapterPath } from "../../protocol/names.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { HandlerAddress } from "./explain-in-development.ts"
import { tellOperator } from "./tell-operator.ts"

/** Missing routes that the console has already been told about. */
const told = new Set<string>()

/**
 * Writes to the console why a component does not know its route.
 *
 * @param error why the routes are unknown; without it they are known, and this is not one of them
 */
export const tellOfRoute = (slug: string, address: HandlerAddress, error?: UploadError | void): void => {
  if (error) return tellOperator(error, address)
  const place = String(address ?? adapterPath)
  const key = `${place} ${slug}`
  if (told.has(key)) return
  told.add(key)
  const message = `There is no file route ${JSON.stringify(slug)} at ${place}. Check the endpoint of the component.`
  tellOperator(new UploadError({ code: "ROUTE_NOT_FOUND", message }), address)
}
