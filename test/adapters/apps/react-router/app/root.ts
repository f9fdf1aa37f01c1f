import { createElement } from "react"
import { createContext, type MiddlewareFunction, Outlet } from "react-router"
import { probeHeader } from "../../../../../src/conformance/adapter/test-router.ts"

/** What the middleware leaves for the file router. */
export const probeContext = createContext<string | null>(null)

export const middleware: ReadonlyArray<MiddlewareFunction<Response>> = [
  ({ context, request }) => context.set(probeContext, request.headers.get(probeHeader)),
]

const Root = () => createElement("html", { lang: "en" }, createElement("body", undefined, createElement(Outlet)))

export default Root
