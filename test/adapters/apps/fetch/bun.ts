import { serveOnBun } from "../serve-on-bun.ts"
import { app } from "./app.ts"

console.log(serveOnBun(app.fetch).origin)
