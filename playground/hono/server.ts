import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import { createRouteHandler } from "sluice/hono"
import { bundlePage, renderPage } from "../elements/render-page.ts"
import { cookieAttributes, createGuest, session } from "../showcase/session.ts"
import { signDocument } from "../showcase/sign-document.ts"
import { router } from "./router.ts"

const { script, styles } = await bundlePage()

const app = new Hono()
  .all("/api/sluice", createRouteHandler({ router }))
  .get("/", async (c) => {
    const guest = getCookie(c, session.cookie) ?? createGuest()
    setCookie(c, session.cookie, guest, { ...cookieAttributes, maxAge: session.maxAge / 1000 })
    return c.html(await renderPage("Hono", guest))
  })
  .get("/documents/:key", async (c) => {
    const location = await signDocument(getCookie(c, session.cookie), c.req.param("key"))
    if (location === undefined) return c.text("You have no such document.\n", 404)
    c.header("cache-control", "no-store")
    return c.redirect(location, 303)
  })
  .get("/page.js", (c) => c.body(script, 200, { "content-type": "text/javascript" }))
  .get("/showcase.css", (c) => c.body(styles, 200, { "content-type": "text/css" }))

serve({ fetch: app.fetch, port: Number(process.env["PORT"]), hostname: "127.0.0.1" })
