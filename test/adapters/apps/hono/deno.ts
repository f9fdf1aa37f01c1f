import { serveOnDeno } from "../serve-on-deno.ts"
import { createApp } from "./app.ts"

console.log(serveOnDeno(createApp(uploadPage).fetch).origin)
