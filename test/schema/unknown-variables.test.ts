import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ingestSettings, otherVariables } from "../../src/cli/settings/settings.ts"
import { envName } from "../../src/protocol.ts"
import { findUnknownVariables } from "../../src/schema/unknown-variables.ts"

const root = join(import.meta.dirname, "../..")
const others = [...Object.keys(ingestSettings), ...otherVariables]

const set = (names: Iterable<string>) => Object.fromEntries([...names].map((name) => [name, "x"]))

it("knows every variable that the code or the documentation names", () => {
  // One of the mistakes is a variable that is misspelt.
  const exclude = ["docs/mistakes.md"]
  const files = globSync(["{src,adapters,bindings}/**/*.ts", "docs/*.md", "README.md"], { cwd: root, exclude })
  const text = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n")
  const inCode = [...text.matchAll(/envName\("(\w+)"\)/g)].map(([, name]) => envName(name!))
  const inText = [...text.matchAll(/\bSLUICE_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  expect(inCode).toContain("SLUICE_METRICS_TOKEN")
  expect(inText).toContain("SLUICE_DEFAULT_KEY_TYPE")
  expect(findUnknownVariables(set(new Set([...inCode, ...inText])), others)).toEqual([])
  expect(findUnknownVariables(set(others.map(envName)), others)).toEqual([])
})

it("leaves what Kubernetes says of a service with our name", () => {
  const env = {
    SLUICE_SERVICE_HOST: "10.0.0.7",
    SLUICE_SERVICE_PORT: "4790",
    SLUICE_SERVICE_PORT_HTTP: "4790",
    SLUICE_PORT_4790_TCP: "tcp://10.0.0.7:4790",
    SLUICE_PORT_4790_TCP_ADDR: "10.0.0.7",
    SLUICE_INGEST_PORT: "tcp://10.0.0.7:4790",
  }
  expect(findUnknownVariables(env, others)).toEqual([])
})

it.each([
  ["SLUICE_DEFAULTACL", "SLUICE_DEFAULT_ACL"],
  ["SLUICE_CALLBACKURL", "SLUICE_CALLBACK_URL"],
  ["SLUICE_Token", "SLUICE_TOKEN"],
  ["SLUICE_TRUSTED_PROXY", "SLUICE_TRUST_PROXY"],
])("names for %s the nearest, %s", (name, nearest) => {
  expect(findUnknownVariables({ [name]: "x" }, others)).toEqual([
    `Nothing of Sluice reads the variable ${name}. The nearest is ${nearest}.`,
  ])
})

it("says nothing of empty variables and those of others", () => {
  expect(findUnknownVariables({ SLUICE_TOKENS: "", TOKENS: "x", SLUICE_TOKE: undefined }, others)).toEqual([])
})
