import { readFile, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { type Double, startDouble } from "../ingest/storage/s3/start-double.ts"
import { makeFolder } from "../make-folder.ts"
import { askCommand, type CommandOptions, runCommand, startCommand } from "./run-command.ts"

/** Each test runs several processes. */
const patient = { timeout: 120_000 }

const keys = { id: "AKIDOFTHETEST000", secret: "secret-of-the-test-000", token: "session-of-the-test-000" }

/** None of AWS's from whoever runs the tests. */
const noKeys = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_SESSION_TOKEN: "" }
const ourKeys = { ...noKeys, SLUICE_S3_ACCESS_KEY_ID: keys.id, SLUICE_S3_SECRET_ACCESS_KEY: keys.secret }

let double: Double
let folder: string
let data: string
beforeEach(async () => {
  double = await startDouble()
  onTestFinished(() => double.close())
  double.accounts[keys.id] = { secretAccessKey: keys.secret }
  folder = await makeFolder()
  data = join(folder, "data")
})

const region = ["--s3-region", "test-1"]
const nameBucket = () => ["--s3-bucket", "double", "--s3-endpoint", double.url, ...region, "--s3-prefix", "files"]

/** Runs the command beside the double. */
const run = (args: ReadonlyArray<string>, env: CommandOptions["env"] = ourKeys) =>
  runCommand(args, { cwd: folder, env })

/** Starts an ingest that keeps even small files in its store; `stop` resolves with all that it printed. */
const start = async (args: ReadonlyArray<string> = nameBucket(), env: CommandOptions["env"] = ourKeys) => {
  const all = ["ingest", "--json", "--port", "0", "--data", data, "--largest-content", "0", ...args]
  const command = startCommand(all, { cwd: folder, env })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const listening = JSON.parse(await command.line((line) => line.includes('"listening"')))
  const token = (await readFile(join(data, "token"), "utf8")).trim()
  return {
    url: listening.url as string,
    printed: command.printed,
    hand: (...given: ReadonlyArray<string>) =>
      run(given, { ...ourKeys, SLUICE_TOKEN: token, SLUICE_INGEST_URL: listening.url }),
    stop: async () => {
      command.child.kill("SIGTERM")
      return command.ended
    },
  }
}

/** All objects but the one that says whose the bucket is. */
const listBlobs = () => [...double.objects.keys()].filter((name) => name !== "files/sluice-catalog")

const put = async (ingest: Awaited<ReturnType<typeof start>>, content: string, ...args: ReadonlyArray<string>) => {
  await writeFile(join(folder, "note.txt"), content)
  const { code, stdout, stderr } = await ingest.hand("put", "note.txt", "--json", ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout) as { readonly key: string; readonly url: string }
}

const warningsOf = (stdout: string): ReadonlyArray<string> =>
  stdout
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { event, message } = JSON.parse(line)
      return event === "warning" ? [message] : []
    })

describe("sluice ingest --s3-bucket", patient, () => {
  it("keeps files in the bucket, reads them, also after a restart, and leaves nothing of what is deleted", async () => {
    const ingest = await start()
    const { key, url } = await put(ingest, "hello bucket", "--owner", "user-7")
    expect(listBlobs()).toEqual([expect.stringMatching(/^files\/[^/]+\/1$/)])
    expect(await (await fetch(url)).text()).toBe("hello bucket")
    await ingest.stop()
    const next = await start()
    expect(warningsOf(next.printed().stdout)).toEqual([])
    const again = await next.hand("get", key, "-o", "-")
    expect(again).toMatchObject({ code: 0, stdout: "hello bucket\n" })
    expect((await next.hand("rm", key, "--yes")).code).toBe(0)
    await vi.waitFor(() => expect([...listBlobs(), ...double.uploads.keys()]).toEqual([]), 20_000)
    await next.stop()
  })

  it(
    "ends when it is told to, whatever it has under way at a bucket that answers nothing any more",
    { timeout: 45_000 },
    async () => {
      const ingest = await start()
      const { key } = await put(ingest, "to be deleted")
      const { url } = await put(ingest, "to be read")
      double.onRequest(() => ({ kind: "hang" }))
      expect((await ingest.hand("rm", key, "--yes")).code).toBe(0)
      const reading = fetch(url).then(
        ({ status }) => status,
        () => "cut",
      )
      const putting = ingest.hand("put", "note.txt")
      const asked = (name: string) => double.requests.filter(({ operation }) => operation === name).length
      await vi.waitFor(() => {
        expect(asked("PutObject")).toBeGreaterThan(2)
        expect(asked("GetObject")).toBeGreaterThan(0)
      }, 20_000)
      const { code, stdout } = await ingest.stop()
      expect({ code, last: JSON.parse(stdout.trim().split("\n").at(-1)!) }).toMatchObject({
        code: 0,
        last: { event: "stopped" },
      })
      expect([503, "cut"]).toContain(await reading)
      expect((await putting).code).toBe(1)
    },
  )

  it("sends the files itself with --reads redirect, once its URLs were tried", async () => {
    const redirecting = [...nameBucket(), "--reads", "redirect"]
    double.onRequest(({ query }) =>
      query.has("X-Amz-Signature") ? { kind: "answer", status: 403, code: "AccessDenied" } : undefined,
    )
    const refused = await run(["ingest", "--port", "0", "--data", data, ...redirecting])
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Reading by a presigned URL failed: it was answered with 403 \(AccessDenied\)/),
    })
    double.onRequest()
    const ingest = await start(redirecting)
    const { key, url } = await put(ingest, "hello bucket")
    const answer = await fetch(url, { redirect: "manual" })
    expect(answer.status).toBe(302)
    expect(await (await fetch(answer.headers.get("location")!)).text()).toBe("hello bucket")
    // It compares the bytes with a digest, which only the ingest has.
    expect(await ingest.hand("get", key, "-o", "-")).toMatchObject({ code: 0, stdout: "hello bucket\n" })
    const noted = JSON.parse(await readFile(join(data, "started-with.json"), "utf8"))
    expect(noted).toMatchObject({ reads: "redirect", store: { kind: "s3" } })
    expect(JSON.parse((await ingest.stop()).stderr)).toMatchObject({
      level: "warning",
      message: expect.stringMatching(/it has no rule of CORS that lets pages read them/),
    })
    double.allowsPages = true
    expect((await (await start(redirecting)).stop()).stderr).toBe("")
  })

  it("is what --reads redirect needs: an ingest whose files are on disk does not start with it", async () => {
    expect(await run(["ingest", "--port", "0", "--data", data, "--reads", "redirect"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/reads is "redirect", and its store has no URLs .* a bucket of S3 /),
    })
  })

  it("is read by other commands that name it, and is named to those that do not", async () => {
    const ingest = await start()
    await put(ingest, "hello bucket", "--owner", "user-7")
    await ingest.stop()
    const verify = ["files", "verify", "--data", data]
    const unnamed = await run(verify)
    expect(unnamed).toMatchObject({ code: 1, stdout: "" })
    const [, words] = /not on disk\. Say so: (.*)\n$/.exec(unnamed.stderr) ?? []
    expect(words).toBe(`--s3-bucket double --s3-endpoint ${double.url} --s3-region test-1 --s3-prefix files/`)
    const named = words!.split(" ")
    expect(await askCommand([...verify, ...named], { env: ourKeys })).toEqual({ checked: 1, bytes: 12, damaged: [] })
    const out = join(folder, "out")
    const exported = await run(["files", "export", "--owner", "user-7", out, "--data", data, ...named])
    expect(exported).toMatchObject({ code: 0, stderr: "" })
    expect(await readFile(join(out, "note.txt"), "utf8")).toBe("hello bucket")
    expect(await run(["backup", join(folder, "backup"), "--data", data])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: .* in the bucket double of [^\n]*\n$/),
    })
    const [name] = listBlobs()
    double.objects.set(name!, { bytes: Buffer.from("hello_bucket"), etag: '"other"' })
    const damaged = await run([...verify, ...named, "--json"])
    expect([damaged.code, JSON.parse(damaged.stdout).damaged]).toEqual([
      1,
      [expect.objectContaining({ reason: "changed" })],
    ])
    double.objects.clear()
    const gone = await run([...verify, ...named, "--json"])
    expect(JSON.parse(gone.stdout).damaged).toMatchObject([{ reason: "missing" }])
  })

  it("says in a sentence that a list of the bucket is none", async () => {
    await (await start()).stop()
    const text =
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>files%2F%E0%A4%A</Key><Size>1</Size></Contents></ListBucketResult>"
    double.onRequest(({ operation }) =>
      operation === "ListObjectsV2" ? { kind: "answer", status: 200, text } : undefined,
    )
    const { code, stderr } = await run(["files", "reconcile", "--data", data, ...nameBucket()])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sluice: The comparison stopped.*a name that cannot be read[^\n]*\n$/)
  })

  it("is compared with the files, of which it may lack some, and may have more", async () => {
    const ingest = await start()
    const { key } = await put(ingest, "hello bucket")
    const compare = ["files", "reconcile", "--data", data, ...nameBucket()]
    const env = { env: ourKeys }
    expect(await askCommand(compare, env)).toMatchObject({ objects: 1, files: 1, lacking: [], leftOver: [], recent: 0 })
    const [name] = listBlobs()
    const { bytes } = double.objects.get(name!)!
    double.objects.delete(name!)
    double.objects.set("files/unknown.7/1", { bytes, etag: '"e"', modifiedAt: Date.now() - 25 * 3_600_000 })
    const { code, stdout } = await run([...compare, "--remove", "--yes", "--json"])
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      expect.objectContaining({
        lacking: [{ key, name: "note.txt", reason: "missing" }],
        removed: { objects: 1, bytes: 12, uploads: 0 },
      }),
    ])
    expect(listBlobs()).toEqual([])
    await ingest.stop()
    expect(await run(["files", "reconcile", "--data", data])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/keeps its files in the bucket double of .* not on disk\. Say so: /),
    })
  })

  it("does not take files for missing where the bucket itself cannot be read", async () => {
    const ingest = await start()
    await put(ingest, "hello bucket")
    await ingest.stop()
    const verify = (args: ReadonlyArray<string>, env?: CommandOptions["env"]) =>
      run(["files", "verify", "--data", data, ...args], env)
    const cannot = `sluice: Files cannot be read in the bucket`
    const other = nameBucket().map((word) => (word === "double" ? "other" : word))
    expect(await verify(other)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^sluice: The ingest of .* keeps its files in the bucket double of [^\n]*\n$/),
    })
    expect(await verify(nameBucket(), { ...ourKeys, SLUICE_S3_SECRET_ACCESS_KEY: "wrong" })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^${cannot} double of .* 403[^\n]*\n$`)),
    })
    expect(await verify(nameBucket(), noKeys)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/needs keys: set /),
    })
    expect(await verify([...nameBucket(), "--s3-addressing", "virtual-host"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sluice: .*only be addressed by path\. [^\n]*\n$/),
    })
    double.onRequest(({ operation }) =>
      operation === "GetObject" ? { kind: "answer", status: 403, code: "AccessDenied" } : undefined,
    )
    expect(await verify(nameBucket())).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^sluice: The verification stopped at the file \S+ \("note.txt"\): the store failed: .*S3 GetObject was answered with 403, AccessDenied[^\n]*\n$/,
      ),
    })
  })

  it("says where files of before are", async () => {
    await (await start([])).stop()
    const { stdout } = await (await start()).stop()
    expect(warningsOf(stdout)).toEqual([
      `The ingest of ${data} kept its files on disk before, and now keeps them in the bucket double of ${double.url}, below files/. Files that are not there cannot be read: move them, or start it as before.`,
    ])
    const back = await (await start([])).stop()
    expect(warningsOf(back.stdout)).toEqual([
      expect.stringMatching(/kept its files in the bucket double of .* before, and now keeps them on disk\. /),
    ])
  })

  it("does not start where it would find none of its files, and reads none from elsewhere", async () => {
    const ingest = await start()
    await put(ingest, "hello bucket".repeat(10_000))
    await ingest.stop()
    const elsewhere = ["--s3-bucket", "double", "--s3-endpoint", double.url, "--s3-region", "test-1"]
    for (const args of [
      ["ingest", "--port", "0", "--data", data],
      ["ingest", "--port", "0", "--data", data, ...elsewhere],
      ["files", "verify", "--data", data, ...elsewhere],
    ]) {
      const { code, stderr } = await run(args)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^sluice: The ingest of \S+ keeps its files in the bucket double of \S+, below files\/, and not [^\n]*: run it with --s3-bucket double [^\n]* --s3-prefix files\/\.(?: To begin anew [^\n]*started-with\.json\.)?\n$/,
        ),
      ])
    }
    await (await start()).stop()
  })

  it("takes keys of AWS's variables, with a session, and its own before them", async () => {
    double.accounts[keys.id] = { secretAccessKey: keys.secret, sessionToken: keys.token }
    const aws = { AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: keys.secret, AWS_SESSION_TOKEN: keys.token }
    const ingest = await start(nameBucket(), aws)
    await put(ingest, "hello bucket")
    await ingest.stop()
    const mixed = { ...aws, SLUICE_S3_ACCESS_KEY_ID: "double-key", SLUICE_S3_SECRET_ACCESS_KEY: "double-secret" }
    await (await start(nameBucket(), mixed)).stop()
  })

  it("warns of a bucket that stores wrong bytes, and starts", async () => {
    double.acceptsWrongBytes = true
    const { stderr } = await (await start()).stop()
    expect(JSON.parse(stderr)).toMatchObject({
      level: "warning",
      message: expect.stringMatching(
        /the bucket double of .*, does not refuse bytes that were changed on their way\. /,
      ),
    })
  })

  it("is ready as long as the bucket answers", async () => {
    const ingest = await start()
    const status = async () => (await fetch(`${ingest.url}/ready`)).status
    expect(await status()).toBe(200)
    double.onRequest(() => ({ kind: "answer", status: 403, code: "AccessDenied" }))
    await vi.waitFor(async () => expect(await status()).toBe(503), { timeout: 40_000, interval: 500 })
    double.onRequest()
    await vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 40_000, interval: 500 })
    await ingest.stop()
  })

  it("says in no place what its keys are", async () => {
    double.accounts[keys.id] = { secretAccessKey: keys.secret, sessionToken: keys.token }
    const env = { ...ourKeys, SLUICE_S3_SESSION_TOKEN: keys.token }
    const ingest = await start([...nameBucket(), "--log-level", "All"], env)
    const { key } = await put(ingest, "hello bucket")
    // Some servers say with which key they were asked.
    const message = `No such key: ${keys.id} ${keys.token} Signature=abcdef0123456789`
    const text = `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`
    double.onRequest(({ operation }) =>
      operation === "HeadBucket" ? undefined : { kind: "answer", status: 403, text },
    )
    const answer = await (await fetch(`${ingest.url}/f/${key}`)).text()
    const { stdout, stderr } = await ingest.stop()
    expect(stdout + stderr).toContain("S3 GetObject was answered with 403, AccessDenied: No such key: … … Signature=…")
    const refused = await run(["ingest", "--port", "0", "--data", data, ...nameBucket(), "--log-level", "All"], env)
    expect(refused.code).toBe(1)
    const note = await readFile(join(data, "started-with.json"), "utf8")
    expect(JSON.parse(note).store).toEqual({
      kind: "s3",
      endpoint: double.url,
      region: "test-1",
      bucket: "double",
      prefix: "files/",
      addressing: "path",
    })
    const all = [answer, stdout, stderr, refused.stdout, refused.stderr, note].join("\n")
    for (const secret of [...Object.values(keys), "abcdef0123456789"]) expect(all).not.toContain(secret)
  })
})

describe("sluice ingest, where its bucket is set wrong", patient, () => {
  /** Runs an ingest that must end by itself: one line, without what is secret, and nothing is left that runs. */
  const refuse = async (args: ReadonlyArray<string>, env?: CommandOptions["env"]): Promise<string> => {
    const { code, stdout, stderr } = await run(["ingest", "--port", "0", "--data", data, ...args], env)
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^sluice: [^\n]*\.\n$/),
    })
    for (const secret of [...Object.values(keys), "hunter22"]) expect(stderr).not.toContain(secret)
    expect([...listBlobs(), ...double.uploads.keys()]).toEqual([])
    return stderr
  }

  /** The data folder was let go of: another ingest starts on it. */
  const expectFree = async () => (await start([])).stop()

  const bucketWith = (name: string, value: string) => {
    const words = nameBucket()
    words[words.indexOf(name) + 1] = value
    return words
  }

  it("names the variables of keys that are missing, all or one", async () => {
    const needs =
      "A bucket needs keys: set the variables SLUICE_S3_ACCESS_KEY_ID and SLUICE_S3_SECRET_ACCESS_KEY, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
    expect(await refuse(nameBucket(), noKeys)).toBe(`sluice: ${needs}\n`)
    const half = (variable: string) => `sluice: The keys of the bucket are not complete: set ${variable} too.\n`
    expect(await refuse(nameBucket(), { ...noKeys, SLUICE_S3_ACCESS_KEY_ID: keys.id })).toBe(
      half("SLUICE_S3_SECRET_ACCESS_KEY"),
    )
    expect(await refuse(nameBucket(), { ...noKeys, AWS_SECRET_ACCESS_KEY: keys.secret })).toBe(
      half("AWS_ACCESS_KEY_ID"),
    )
    // Nothing was made for it.
    expect(existsSync(data)).toBe(false)
    // Halves of two pairs are no pair.
    const halves = { ...noKeys, SLUICE_S3_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: keys.secret }
    expect(await refuse(nameBucket(), halves)).toBe(half("SLUICE_S3_SECRET_ACCESS_KEY"))
    await expectFree()
  })

  it.each([
    ["says nothing", "PutObject"],
    ["goes silent in the middle", "ListMultipartUploads"],
  ])("ends when it is told to while the bucket %s", async (_, operation) => {
    const arrived = Promise.withResolvers<void>()
    let isSilent = false
    double.onRequest((request) => {
      isSilent ||= request.operation === operation
      if (!isSilent) return
      arrived.resolve()
      return { kind: "hang" }
    })
    const args = ["ingest", "--json", "--port", "0", "--data", data, ...nameBucket()]
    const { child, ended } = startCommand(args, { cwd: folder, env: ourKeys })
    await arrived.promise
    child.kill("SIGTERM")
    const { code, stdout, stderr } = await ended
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ event: "stopped", peakMemory: expect.any(Number) }),
    ])
    // It says what it may have left there, and does not wait for the bucket.
    expect(stderr).toContain("look below files/sluice-check-")
    double.onRequest()
    await expectFree()
  })

  it("wants one store, and all of it", async () => {
    expect(await refuse(["--s3-endpoint", double.url])).toBe("sluice: s3Endpoint is for a bucket: set s3Bucket too.\n")
    expect(await refuse(["--s3-prefix", "files"])).toContain("s3Prefix is for a bucket: set s3Bucket too.")
    expect(await refuse([...nameBucket(), "--store", "./my-store.mjs"])).toContain(
      "store and s3Bucket are both set, and files are in one place: leave one of them out.",
    )
    await expectFree()
  })

  it("says which of keys, bucket, region and endpoint the server does not take", async () => {
    const where = `Files cannot be kept in the bucket double of ${double.url}, below files/. Putting an object failed: `
    const wrong = await refuse(nameBucket(), { ...ourKeys, SLUICE_S3_SECRET_ACCESS_KEY: "hunter22" })
    expect(wrong).toContain(`sluice: ${where}S3 PutObject was answered with 403, SignatureDoesNotMatch`)
    expect(wrong).toMatch(
      / Look at SLUICE_S3_ACCESS_KEY_ID and SLUICE_S3_SECRET_ACCESS_KEY, and whether these keys are for /,
    )
    const unknown = { ...noKeys, AWS_ACCESS_KEY_ID: "hunter22", AWS_SECRET_ACCESS_KEY: "hunter22" }
    expect(await refuse(nameBucket(), unknown)).toMatch(
      /403, InvalidAccessKeyId: .* Look at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, /,
    )
    expect(await refuse(bucketWith("--s3-bucket", "other"))).toMatch(
      /the bucket other of .* 404, NoSuchBucket: .* Make the bucket, or correct its name \(--s3-bucket\)\.\n$/,
    )
    expect(await refuse(bucketWith("--s3-region", "test-2"))).toMatch(
      / Look at the region \(--s3-region test-2\) and at /,
    )
    expect(await refuse(bucketWith("--s3-endpoint", `${double.url}/other`))).toMatch(/404, NoSuchBucket/)
    expect(await refuse(bucketWith("--s3-endpoint", `${double.url}/files/double`))).toMatch(
      / Give --s3-endpoint without the name of the bucket, which is added to it\.\n$/,
    )
    await expectFree()
  })

  it("says that nothing listens there, or that it is no server of S3", async () => {
    const gone = await startDouble()
    await gone.close()
    expect(await refuse(bucketWith("--s3-endpoint", gone.url))).toMatch(
      /ECONNREFUSED.* Look at the endpoint \(--s3-endpoint http:\S+\), and whether its server runs\.\n$/,
    )
    // The ingest's own kind.
    const ingest = await start([])
    const other = join(folder, "other")
    expect(await refuse(["--data", other, ...bucketWith("--s3-endpoint", ingest.url)])).toMatch(
      /Putting an object failed: S3 PutObject was answered with 4\d\d, StrangeAnswer\. /,
    )
    await ingest.stop()
  })

  it("says which right is missing, and on one line whatever the server writes", async () => {
    const text = "<Error><Code>AccessDenied</Code><Message>No.\n\u202EReally\tno.</Message></Error>"
    double.onRequest(({ operation }) =>
      operation === "CreateMultipartUpload" ? { kind: "answer", status: 403, text } : undefined,
    )
    expect(await refuse(nameBucket())).toMatch(
      /A multipart upload failed: S3 CreateMultipartUpload was answered with 403, AccessDenied: .* Give the keys of .* the rights that \S+bucket\.md lists\.\n$/,
    )
  })

  it("says what to do about a journal that it cannot read, newer or broken", async () => {
    await (await start()).stop()
    const file = join(data, "journal.sqlite")
    const journal = new DatabaseSync(file)
    journal.exec("PRAGMA user_version = 3")
    journal.close()
    expect(await refuse(nameBucket())).toBe(
      `sluice: How far unfinished files are cannot be read: The journal ${file} is of version 3, newer than this package knows (2). Use the version of sluice that wrote ${file}, or move that file away: uploads that are under way then begin anew.\n`,
    )
    await writeFile(file, "no database".repeat(100))
    expect(await refuse(nameBucket())).toMatch(/cannot be read: file is not a database\. Use the version /)
    await expectFree()
  })

  it("says after a while that it waits", async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const address = silent.address() as { readonly port: number }
    const command = startCommand(
      ["ingest", "--port", "0", "--data", data, ...bucketWith("--s3-endpoint", `http://127.0.0.1:${address.port}`)],
      { env: ourKeys },
    )
    await vi.waitFor(
      () => expect(command.printed().stderr).toMatch(/^There is no answer yet from the bucket double of /),
      {
        timeout: 30_000,
      },
    )
    command.child.kill("SIGKILL")
    await command.ended
    silent.close()
  })

  it.each([
    ["a user", "http://hunter22:hunter22@localhost:9000", "'http://…@localhost:9000'"],
    ["a query", "http://localhost:9000/?key=hunter22", "'http://localhost:9000/?…'"],
    ["a password with a slash", "http://minio:hunter22/hunter22@localhost", "'http://…@localhost'"],
  ])("takes an endpoint with %s for wrong usage, and does not repeat it", async (_, endpoint, shown) => {
    for (const [args, env] of [
      [bucketWith("--s3-endpoint", endpoint), ourKeys],
      [["--s3-bucket", "double"], { ...ourKeys, SLUICE_S3_ENDPOINT: endpoint }],
    ] as const) {
      const { code, stdout, stderr } = await run(["ingest", "--port", "0", "--data", data, ...args], env)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain(shown)
      expect(stderr).toContain("Expected a URL ")
      expect(stderr).not.toContain("hunter22")
    }
  })

  it("does not repeat an endpoint of the configuration file either", async () => {
    const config = { s3Bucket: "double", s3Endpoint: "http://minio:hunter22@localhost/" }
    await writeFile(join(folder, "sluice.config.json"), JSON.stringify(config))
    expect(await refuse([])).toMatch(
      /sluice\.config\.json: s3Endpoint: expected a URL without query, fragment and user name/,
    )
  })
})
