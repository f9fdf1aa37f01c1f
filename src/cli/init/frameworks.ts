import type { Framework } from "./framework.ts"
import { astro } from "./frameworks/astro.ts"
import { next } from "./frameworks/next.ts"
import { nextPages } from "./frameworks/next-pages.ts"
import { nuxt } from "./frameworks/nuxt.ts"
import { reactRouter } from "./frameworks/react-router.ts"
import { elysia, express, fastify, fetchServer, h3, hono, node } from "./frameworks/servers.ts"
import { solidStart } from "./frameworks/solid-start.ts"
import { sveltekit } from "./frameworks/sveltekit.ts"
import { tanstackStart } from "./frameworks/tanstack-start.ts"
import { vite } from "./frameworks/vite.ts"

/** All frameworks that `sluice init` supports. */
export const frameworks: ReadonlyArray<Framework> = [
  next,
  nextPages,
  sveltekit,
  nuxt,
  astro,
  reactRouter,
  tanstackStart,
  solidStart,
  express,
  fastify,
  hono,
  elysia,
  h3,
  node,
  fetchServer,
  vite,
]
