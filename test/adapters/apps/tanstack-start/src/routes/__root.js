import { createRootRoute, Outlet, Scripts } from "@tanstack/react-router"
import { createElement } from "react"

export const Route = createRootRoute({
  component: () =>
    createElement(
      "html",
      { lang: "en" },
      createElement("body", undefined, createElement(Outlet), createElement(Scripts)),
    ),
})
