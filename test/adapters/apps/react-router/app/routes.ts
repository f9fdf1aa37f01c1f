import { route, type RouteConfig } from "@react-router/dev/routes"

export default [
  route("api/sluice", "routes/api.sluice.ts"),
  route("cloned/api/sluice", "routes/cloned.api.sluice.ts"),
  route("probe", "routes/probe.ts"),
] satisfies RouteConfig
