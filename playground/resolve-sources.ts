import { existsSync } from "node:fs"
import { registerHooks } from "node:module"

/*
 * `node --import ./resolve-sources.ts`: `sluice/…` are the package's sources, so that the playground needs no build and
 * shows what is in the editor. tsconfig.json says the same to the compiler.
 */
registerHooks({
  resolve: (specifier, context, next) => {
    if (!specifier.startsWith("sluice/")) return next(specifier, context)
    const door = specifier.slice("sluice/".length)
    const found = ["adapters", "bindings", "src"]
      .map((folder) => new URL(`../${folder}/${door}.ts`, import.meta.url))
      .find((url) => existsSync(url))
    return next(found?.href ?? specifier, context)
  },
})
