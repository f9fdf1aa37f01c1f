import { defineEventHandler, readRawBody, useNitroApp } from "#imports"

/** What Nitro does on platforms without Node's server, and where a page asks its own server: no socket, an imitated request. */
export default defineEventHandler(async (event) => {
  const { method, headers } = event
  const body = await readRawBody(event, false)
  return useNitroApp().localFetch(event.path.replace(/^\/local/, "/nested/api/sluice"), { method, headers, body })
})
