import { extractRouteConfig } from "sluice/sveltekit"
import { router } from "#lib/server/router.ts"
import { findUploads } from "../../../showcase/kept-uploads.ts"
import { nameGuest } from "../../../showcase/session.ts"
import type { PageServerLoad } from "./$types"

export const load: PageServerLoad = async ({ locals }) => ({
  guest: nameGuest(locals.guest),
  kept: await findUploads(locals.guest),
  routes: extractRouteConfig(router),
})
