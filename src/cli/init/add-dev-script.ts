import { findJsonSpan } from "./json-span.ts"
import type { Project } from "./read-project.ts"

/** What happens to the script `dev`: the new text of package.json, or why it stays. */
export type DevScript =
  | { readonly action: "changed"; readonly manifest: string; readonly command: string }
  | { readonly action: "kept" }
  | { readonly action: "missing" }
  /** It belongs into the project of the server. */
  | { readonly action: "elsewhere" }
  /** It starts the page alone; the server, which needs the token, is started by something else. */
  | { readonly action: "page" }
  | { readonly action: "refused"; readonly reason: string }

/** Variables that a shell sets for the command after them. */
const assignments = /^(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"';&|])*\s+)+/

/** Whether it is more than one command: `a && b`, `a & b`, `a | b`, `a; b`, `$(a)`; quoted signs are ignored. */
const isCompound = (script: string): boolean =>
  /[&|;\n`]|\$\(|^\s*[({]/.test(script.replaceAll(/"(?:[^"\\`$]|\\.)*"|'[^']*'/g, "''"))

const wrap = (script: string): string => {
  const [variables = ""] = assignments.exec(script) ?? []
  return `${variables}sluice dev -- ${script.slice(variables.length)}`
}

/** Puts `sluice dev` in front of the script `dev`, and leaves every other byte of package.json unchanged. */
export const addDevScript = ({ manifest, scripts, packageManager }: Project): DevScript => {
  const script = scripts["dev"]
  if (typeof script !== "string" || script.trim() === "") return { action: "missing" }
  if (/\bsluice\b/.test(script)) return { action: "kept" }
  const span = findJsonSpan(manifest, ["scripts", "dev"])
  if (span === undefined) return { action: "missing" }
  const replace = (text: string) => manifest.slice(0, span.start) + text + manifest.slice(span.end)
  if (!isCompound(script)) {
    const command = wrap(script.trim())
    return { action: "changed", command, manifest: replace(JSON.stringify(command)) }
  }
  // `sluice dev -- a && b` would end the ingest before b begins.
  const command = `sluice dev -- ${packageManager.run} dev:app`
  if (scripts["dev:app"] !== undefined) {
    const reason = `its script dev is several commands, and dev:app is taken. Move dev to a script of its own, and let dev be "sluice dev -- ${packageManager.run} <that script>".`
    return { action: "refused", reason }
  }
  const written = manifest.slice(span.start, span.end)
  const [, lineStart = ""] = /(\r?\n[ \t]*)"[^\n]*$/.exec(manifest.slice(0, span.start)) ?? []
  const separator = lineStart === "" ? ", " : `,${lineStart}`
  return {
    action: "changed",
    command,
    manifest: replace(`${JSON.stringify(command)}${separator}"dev:app": ${written}`),
  }
}
