import { execFileSync } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { serverLimits } from "../../../src/cli/serve/server-limits.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { createMetrics } from "../../../src/ingest/observe/metrics.ts"
import { encodeToken, envName } from "../../../src/protocol.ts"
import { type Container, type Manifest, readCompose, readDeploy, readDockerfile, readManifests } from "./read-files.ts"
import { findWrongArguments, findWrongVariables, portOf, secretVariables } from "./settings.ts"

const deploy = join(import.meta.dirname, "../../../deploy")

/** How long the ends of unfinished files may take when an ingest stops that is one of several, ms. */
const flushTime = 20_000

/** How long an ingest takes at most to stop, s: what ends by itself, the ends of unfinished files, and the answers that follow. */
const stopTime = (serverLimits.grace + flushTime + 2000) / 1000

/** What else it closes: connections, its catalog. */
const closeTime = 10

const isSecret = (name: string): boolean => secretVariables.has(name) || /PASSWORD|SECRET|TOKEN|_KEY/.test(name)

/** A value that is put in by whoever deploys: Compose ends where it is missing. */
const isAsked = (value: string): boolean => /^(postgres:\/\/\w+:)?\$\{\w+:\?\}(@\S*)?$/.test(value)

/** An image with a version of three numbers, or of two where it has no more. */
const isPinned = (image: string): boolean => /:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/.test(image)

/** Takes what Compose would put in from `.env`, or the default. */
const resolve = (value: string): string =>
  value.replaceAll(/\$\{\w+:(\?|-([^}]*))\}/g, (_, rule: string, initial = "") => (rule === "?" ? "x" : initial))

const askIngest = async (path: string): Promise<{ readonly status: number; readonly body: unknown }> => {
  const token = encodeToken({ apiKey: "sk_live_" + "a".repeat(64), appId: "app", regions: ["local"] })
  const ingest = createIngest({
    token,
    catalog: createMemoryCatalog(),
    store: createMemoryBlobStore(),
    logLevel: "None",
  })
  try {
    const answer = await ingest.fetch(new Request(`http://localhost:4790${path}`))
    return { status: answer.status, body: await answer.json() }
  } finally {
    await ingest.close()
  }
}

describe("deploy/several/compose.yaml", async () => {
  const { services, volumes } = await readCompose()
  const dockerfile = await readDockerfile()
  const ingests = Object.entries(services).filter(([name]) => name.startsWith("ingest"))

  it("has three ingests that are the same", () => {
    expect(ingests).toHaveLength(3)
    for (const [, service] of ingests) expect(service).toEqual(ingests[0]![1])
    expect(Object.keys(services)).not.toContain("sluice")
  })

  it("gives them settings that the command has, with values that it takes", () => {
    const environment = ingests[0]![1].environment!
    const all = { ...dockerfile.variables, ...environment }
    const given = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, resolve(value)]))
    expect(findWrongVariables(given)).toEqual([])
    expect(findWrongArguments(ingests[0]![1].command ?? dockerfile.command)).toEqual([])
    // What there is no ingest without a folder without.
    for (const name of ["token", "databaseUrl", "s3Bucket", "url"])
      expect(Object.keys(environment)).toContain(envName(name))
    expect(Object.keys(all)).not.toContain(envName("data"))
  })

  it("has no secret in it, and every one of them in env.example, without a value", async () => {
    const example = await readDeploy("several/env.example")
    const asked = new Set<string>()
    for (const [name, { environment = {} }] of Object.entries(services)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (isSecret(variable)) expect(isAsked(value), `${name}: ${variable}=${value}`).toBe(true)
        for (const [, one] of value.matchAll(/\$\{(\w+):\?\}/g)) asked.add(one!)
      }
    }
    const lines = example.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    expect(lines.toSorted()).toEqual([...asked].map((name) => `${name}=`).toSorted())
  })

  it("connects what belongs together", async () => {
    const { environment, expose } = ingests[0]![1]
    const port = portOf(dockerfile.command, dockerfile.variables)
    expect([expose, dockerfile.port]).toEqual([[String(port)], port])
    const database = new URL(resolve(environment![envName("databaseUrl")]!))
    const postgres = services["postgres"]!.environment!
    expect([database.hostname, database.username, database.pathname]).toEqual([
      "postgres",
      postgres["POSTGRES_USER"],
      `/${postgres["POSTGRES_DB"]}`,
    ])
    const bucket = new URL(environment![envName("s3Endpoint")]!)
    expect(services[bucket.hostname]!.environment!["BUCKET"]).toBe(environment![envName("s3Bucket")])
    expect(await readDeploy("several/start-ceph.sh")).toContain(`port=\${PORT:-${bucket.port}}`)
    const upstreams = /^\tto (.*)$/m.exec(await readDeploy("several/Caddyfile"))![1]!.split(" ")
    expect(upstreams).toEqual(ingests.map(([name]) => `${name}:${port}`))
    // The proxy's address is the ingests' public one, and only this machine reaches it.
    expect(services["proxy"]!.environment![envName("url")]).toBe(environment![envName("url")])
    expect(services["proxy"]!.ports).toEqual([`127.0.0.1:${new URL(resolve(environment![envName("url")]!)).port}:4790`])
    for (const [name, { ports }] of Object.entries(services)) if (name !== "proxy") expect(ports, name).toBeUndefined()
  })

  it("pins every image, begins with what is ready, and gives an ingest the time that it takes to stop", () => {
    const images = [...dockerfile.images, ...Object.values(services).flatMap(({ image }) => image ?? [])]
    expect(images.filter((image) => !isPinned(image))).toEqual([])
    expect(images.length).toBeGreaterThan(3)
    for (const [, service] of ingests) {
      expect(Number(/^(\d+)s$/.exec(service.stop_grace_period!)![1])).toBeGreaterThanOrEqual(stopTime + closeTime)
      expect([service.read_only, service.cap_drop]).toEqual([true, ["ALL"]])
      // Parts wait on a disk.
      expect(service.volumes).toEqual(["/tmp"])
      for (const [needed, { condition }] of Object.entries(service.depends_on!)) {
        expect(condition).toBe("service_healthy")
        expect(services[needed]!.healthcheck!.test[0]).toBe("CMD")
      }
    }
    expect(dockerfile.user).toBe("node")
  })

  it("names no file and no volume that there is not", async () => {
    const files = await readdir(join(deploy, "several"))
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes)
    for (const mount of mounted) {
      const [from, to] = mount.split(":")
      if (to === undefined) continue
      if (from!.startsWith("./")) expect(files).toContain(from!.slice(2))
      else expect(Object.keys(volumes)).toContain(from)
    }
  })

  it("starts Ceph by a script that bash takes", () => {
    expect(execFileSync("bash", ["-n", join(deploy, "several/start-ceph.sh")], { encoding: "utf8" })).toBe("")
  })
})

describe("deploy/kubernetes", async () => {
  const manifests = await readManifests("ingest.yaml")
  const [secret] = (await readManifests("secret.example.yaml")) as [Manifest]
  const byKind = (kind: string): Manifest => {
    const found = manifests.filter((one) => one.kind === kind)
    expect(found, kind).toHaveLength(1)
    return found[0]!
  }
  const deployment = byKind("Deployment")
  const pod = deployment["spec"].template.spec
  const [container] = pod.containers as [Container]
  const dockerfile = await readDockerfile()
  const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value ?? ""]))

  it("has settings that the command has, with values that it takes", () => {
    const secrets = secret["stringData"] as Readonly<Record<string, string>>
    expect(findWrongVariables({ ...dockerfile.variables, ...variables, ...secrets })).toEqual([])
    expect(findWrongArguments(container.args)).toEqual([])
    const names = [...Object.keys(variables), ...Object.keys(secrets)]
    for (const name of ["token", "databaseUrl", "s3Bucket", "url"]) expect(names).toContain(envName(name))
    expect(names).not.toContain(envName("data"))
  })

  it("has no secret in it", () => {
    expect(Object.keys(variables).filter(isSecret)).toEqual([])
    expect(Object.values(secret["stringData"]).every((value) => value === "")).toBe(true)
    expect(container.envFrom).toEqual([{ secretRef: { name: secret.metadata.name } }])
  })

  it("finds its parts by the same names and ports", () => {
    const port = portOf(container.args, variables)
    expect(container.ports).toEqual([{ name: "http", containerPort: port }])
    const labels = deployment["spec"].template.metadata.labels
    const [service, budget, ingress] = ["Service", "PodDisruptionBudget", "Ingress"].map(byKind)
    expect(deployment["spec"].selector.matchLabels).toEqual(labels)
    expect(service!["spec"].selector).toEqual(labels)
    expect(budget!["spec"].selector.matchLabels).toEqual(labels)
    expect(pod.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(labels)
    expect(service!["spec"].ports[0].targetPort).toBe("http")
    const [rule] = ingress!["spec"].rules
    expect(rule.http.paths[0].backend.service.name).toBe(service!.metadata.name)
    expect(`https://${rule.host}`).toBe(variables[envName("url")])
    expect(ingress!["spec"].tls[0].hosts).toEqual([rule.host])
    expect(service!.metadata.name).not.toBe("sluice")
    expect(pod.enableServiceLinks).toBe(false)
  })

  it("asks paths that the ingest answers: readiness where it looks at what it needs, liveness where it does not", async () => {
    const { livenessProbe, readinessProbe, startupProbe } = container
    for (const { httpGet, timeoutSeconds } of [livenessProbe, readinessProbe, startupProbe]) {
      expect((await askIngest(httpGet.path)).status).toBe(200)
      expect(httpGet.port).toBe("http")
      // Each of the ingest's checks has two seconds.
      expect(timeoutSeconds).toBeGreaterThan(4)
    }
    expect((await askIngest(readinessProbe.httpGet.path)).body).toHaveProperty("checks")
    expect((await askIngest(livenessProbe.httpGet.path)).body).not.toHaveProperty("checks")
  })

  it("gives it the time that it takes to stop, after proxies have left it out", () => {
    const [command, seconds] = container.lifecycle.preStop.exec.command
    expect(command).toBe("sleep")
    expect(Number(seconds)).toBeGreaterThanOrEqual(5)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(seconds) + stopTime + closeTime)
    // The Debian of the image has it.
    expect(dockerfile.images.at(-1)).toMatch(/^node:[\d.]+-slim$/)
  })

  it("keeps two of three while nodes are emptied, and as many as before while it is rolled out", () => {
    expect(deployment["spec"].replicas).toBe(3)
    expect(byKind("PodDisruptionBudget")["spec"].maxUnavailable).toBe(1)
    expect(deployment["spec"].strategy.rollingUpdate.maxUnavailable).toBe(0)
  })

  it("runs as nobody who may do anything, with a disk for parts, and bounds", () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    })
    expect(container.volumeMounts).toEqual([{ name: pod.volumes[0].name, mountPath: "/tmp" }])
    expect(pod.volumes[0].emptyDir).not.toHaveProperty("medium")
    expect(container.resources["limits"]).toHaveProperty("memory")
    expect(isPinned(container.image)).toBe(true)
  })

  it("has an ingress that buffers nothing, waits long enough, and sends no PUT twice", () => {
    const annotations = byKind("Ingress").metadata.annotations!
    const of = (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`]
    expect(["proxy-body-size", "proxy-request-buffering", "proxy-buffering", "proxy-next-upstream"].map(of)).toEqual([
      "0",
      "off",
      "off",
      "off",
    ])
    expect(Number(of("proxy-read-timeout"))).toBe(120)
  })
})

describe("docs/several-ingests.md", async () => {
  const page = await readFile(join(deploy, "../docs/several-ingests.md"), "utf8")

  it.each(["Caddyfile", "nginx.conf"])("shows deploy/several/%s as it is in the package", async (file) => {
    expect(page).toContain(`\n${(await readDeploy(`several/${file}`)).trimEnd()}\n\`\`\``)
  })

  it("shows commands that there are, with settings that the command takes", () => {
    const [block] = /```sh\nnpm install[\s\S]*?```/.exec(page)!
    const commands = [...block.matchAll(/^npx sluice (ingest .*)$/gm)].map(([, line]) => line!.split(/\s+/))
    expect(commands).toHaveLength(2)
    expect(commands.flatMap(findWrongArguments)).toEqual([])
    const variables = [...block.matchAll(/(\w+)=(?:"\$\(.*?\)"|(\S+))/g)].map(([, name, value]) => [name!, value ?? ""])
    expect(variables.map(([name]) => name)).toContain(envName("databaseUrl"))
    expect(findWrongVariables(Object.fromEntries(variables.filter(([name]) => name!.toUpperCase() === name)))).toEqual(
      [],
    )
  })

  it("names files that are in the package, and the time that it gives an ingest to stop", async () => {
    for (const [, path] of page.matchAll(/\bdeploy\/((?:several|kubernetes)\/[\w.-]+)/g)) {
      expect(await readDeploy(path!), path).not.toBe("")
    }
    expect(page).toContain(
      `Give it ${(await readCompose()).services["ingest-1"]!.stop_grace_period!.replace("s", " seconds")}`,
    )
  })

  it("tells of every gauge how it is put together over processes", () => {
    const rows = [...page.matchAll(/^\| (`(?:sluice|process)_.*?) +\| (.*?) +\|$/gm)].map(([, left, right]) => ({
      names: [...left!.matchAll(/`([a-z_*]+)`/g)].map(([, name]) => name!),
      how: /^(`max`|`sum`|each)/.exec(right!)?.[1],
    }))
    const howOf = (gauge: string) =>
      rows.find(({ names }) => names.some((name) => new RegExp(`^${name.replace("*", ".*")}$`).test(gauge)))?.how
    const gauges = [
      ...createMetrics()
        .render()
        .matchAll(/^# TYPE (\w+) gauge$/gm),
    ].map(([, name]) => name!)
    expect(gauges.length).toBeGreaterThan(10)
    expect(gauges.filter((gauge) => howOf(gauge) === undefined)).toEqual([])
    // What is read from the catalog, or done by one of them at a time.
    const same = ["sluice_deliveries", "sluice_endpoint_events", "sluice_housekeeping_last_success_timestamp_seconds"]
    expect(gauges.filter((gauge) => howOf(gauge) === "`max`").toSorted()).toEqual(same.toSorted())
  })
})
