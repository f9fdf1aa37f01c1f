import express from "express"
import { createRouteHandler } from "sluice/express"
import { bundlePage, renderPage } from "../elements/render-page.ts"
import { cookieAttributes, createGuest, session } from "../showcase/session.ts"
import { signDocument } from "../showcase/sign-document.ts"
import { readGuest, router } from "./router.ts"

const { script, styles } = await bundlePage()

express()
  .use("/api/sluice", createRouteHandler({ router }))
  .get("/", async (req, res) => {
    const guest = readGuest(req) ?? createGuest()
    res.cookie(session.cookie, guest, { ...cookieAttributes, maxAge: session.maxAge })
    res.type("html").send(await renderPage("Express", guest))
  })
  .get("/documents/:key", async (req, res) => {
    const location = await signDocument(readGuest(req), req.params.key)
    if (location === undefined) res.status(404).type("text").send("You have no such document.\n")
    else res.set("cache-control", "no-store").redirect(303, location)
  })
  .get("/page.js", (_req, res) => void res.type("js").send(script))
  .get("/showcase.css", (_req, res) => void res.type("css").send(styles))
  .listen(Number(process.env["PORT"]), "127.0.0.1")
