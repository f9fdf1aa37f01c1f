import type { Application } from "./application.ts"
import { astro } from "./applications/astro.ts"
import { express } from "./applications/express.ts"
import { hono } from "./applications/hono.ts"
import { defineNext } from "./applications/next.ts"
import { nuxt } from "./applications/nuxt.ts"
import { reactRouter } from "./applications/react-router.ts"
import { solidStart } from "./applications/solid-start.ts"
import { sveltekit } from "./applications/sveltekit.ts"
import { tanstackStart } from "./applications/tanstack-start.ts"
import { defineVite } from "./applications/vite.ts"
import { walkProfile } from "./walk-profile.ts"

/** What `npm run newcomer` can try. */
export const applications = {
  next: defineNext("--no-tailwind", "Next.js (create-next-app)", walkProfile),
  "next-tailwind": defineNext("--tailwind", "Next.js with Tailwind (create-next-app)"),
  sveltekit,
  nuxt,
  astro,
  "tanstack-start": tanstackStart,
  "react-router": reactRouter,
  "solid-start": solidStart,
  "vite-react": defineVite("react-ts"),
  "vite-vue": defineVite("vue-ts"),
  "vite-svelte": defineVite("svelte-ts"),
  "vite-solid": defineVite("solid-ts"),
  express,
  hono,
} satisfies Readonly<Record<string, Application>>

/** The name of an application. */
export type ApplicationName = keyof typeof applications

export const isApplicationName = (name: string | undefined): name is ApplicationName =>
  name !== undefined && Object.hasOwn(applications, name)
