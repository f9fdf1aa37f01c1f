import { defineEventHandler, readBody, readRawBody } from "#imports"

export default defineEventHandler(async (event) => {
  if (event.method !== "POST") return
  if (event.path.includes("/read-body")) await readBody(event)
  if (event.path.includes("/read-raw-body")) await readRawBody(event)
})
