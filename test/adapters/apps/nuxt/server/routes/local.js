import { defineEventHandler } from "#imports"

// How a page that is rendered asks its own server: without a socket.
export default defineEventHandler((event) => event.$fetch("/nested/api/sluice"))
