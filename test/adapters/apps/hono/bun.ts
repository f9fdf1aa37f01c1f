import { serveOnBun } from "../serve-on-bun.ts"
import { createApp } from "./app.ts"

console.log(serveOnBun(createApp(uploadPage).fetch).origin)
