import { NextResponse } from "next/server"
export const proxy = async (request) => {
  const text = await request.text()
  return NextResponse.next({ headers: { "x-proxied": String(text.length) } })
}
export const config = { matcher: ["/api/debug"] }
