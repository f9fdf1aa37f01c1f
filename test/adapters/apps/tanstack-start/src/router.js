import { createRouter } from "@tanstack/react-router"
import { routeTree } from "virtual:route-tree"

export const getRouter = () => createRouter({ routeTree })
