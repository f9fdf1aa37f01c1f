import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parse, parseAllDocuments } from "yaml"

const deploy = join(import.meta.dirname, "../../../deploy")

export const readDeploy = (file: string): Promise<string> => readFile(join(deploy, file), "utf8")

/** A service of a compose file, as far as it is asked for here. */
export interface ComposeService {
  readonly image?: string
  readonly build?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly command?: ReadonlyArray<string>
  readonly expose?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly stop_grace_period?: string
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

export const readCompose = async (): Promise<Compose> => parse(await readDeploy("several/compose.yaml")) as Compose

/** What of a Dockerfile's last stage decides how the command runs. */
export const readDockerfile = async () => {
  const text = await readDeploy("several/Dockerfile")
  const stages = text.split(/^(?=FROM )/m).filter((stage) => stage.startsWith("FROM"))
  const last = stages.at(-1)!
  const words = /^ENV (.*)$/m
    .exec(last)![1]!
    .split(" ")
    .map((word) => word.split("=") as [string, string])
  return {
    text,
    images: stages.map((stage) => stage.split(/\s/)[1]!),
    user: /^USER (\S+)$/m.exec(last)?.[1],
    port: Number(/^EXPOSE (\d+)$/m.exec(last)![1]),
    variables: Object.fromEntries(words),
    command: JSON.parse(/^CMD (\[.*\])$/m.exec(last)![1]!) as ReadonlyArray<string>,
  }
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly timeoutSeconds: number
}

/** The container of a Deployment, as far as it is asked for here. */
export interface Container {
  readonly image: string
  readonly args: ReadonlyArray<string>
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  readonly env: ReadonlyArray<{ readonly name: string; readonly value?: string }>
  readonly envFrom: ReadonlyArray<{ readonly secretRef: { readonly name: string } }>
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly startupProbe: Probe
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: ReadonlyArray<string> } } }
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly resources: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
}

/** A document of Kubernetes; the fields depend on its kind. */
export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly [field: string]: any
}

/** The documents of a file of manifests; a mistake in its YAML is thrown. */
export const readManifests = async (file: string): Promise<ReadonlyArray<Manifest>> =>
  parseAllDocuments(await readDeploy(join("kubernetes", file))).map((document) => {
    for (const error of document.errors) throw error
    return document.toJS() as Manifest
  })
