import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

/** The Lightning CSS of Vite, which is no dependency of this package. */
interface Lightning {
  readonly transform: (options: {
    readonly filename: string
    readonly code: Uint8Array
    readonly minify: boolean
    readonly targets: Readonly<Record<string, number>>
  }) => { readonly code: Uint8Array }
}
const lightning = createRequire(require.resolve("vite"))("lightningcss") as Lightning

/** A version of a browser, as Lightning CSS has it. */
export const version = (major: number, minor = 0): number => (major << 16) | (minor << 8)

/** What Vite 8 builds for, unless it is told otherwise. */
export const viteBrowsers = {
  chrome: version(111),
  edge: version(111),
  firefox: version(114),
  safari: version(16, 4),
}

/** Minifies a stylesheet as Vite does. */
export const lighten = (code: Uint8Array, targets: Readonly<Record<string, number>> = viteBrowsers): string =>
  Buffer.from(lightning.transform({ filename: "styles.css", code, minify: true, targets }).code).toString()
