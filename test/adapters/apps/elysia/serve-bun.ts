import { createApp } from "./create-app.ts"

const app = await createApp()
app.listen({ hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`))
