import { join } from "node:path"
import type { NextConfig } from "next"

const repository = join(import.meta.dirname, "../..")

export default {
  turbopack: { root: repository },
  outputFileTracingRoot: repository,
  devIndicators: false,
} satisfies NextConfig
