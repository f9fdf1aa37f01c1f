import { NextResponse } from "next/server"

/** Reads what the handlers behind it are to read again. */
export const proxy = async (request) => {
  await request.text()
  return NextResponse.next()
}

export const config = { matcher: ["/api/proxied", "/api/pages-router/proxied"] }
