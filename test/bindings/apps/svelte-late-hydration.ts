import { hydrate } from "svelte"
import type { PagePart } from "../describe-late-hydration.ts"
import Page from "./svelte/late-page.svelte"

const begin = (part: PagePart) =>
  hydrate(Page, { target: document.getElementById(part)!, props: { part, routes: window.routes } })
begin("early")
window.hydrateLate = () => begin("late")
