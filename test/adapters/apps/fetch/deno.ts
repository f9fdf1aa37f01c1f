import { serveOnDeno } from "../serve-on-deno.ts"
import { app } from "./app.ts"

console.log(serveOnDeno(app.fetch).origin)
