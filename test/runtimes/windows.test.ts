/*
 * Node for Windows, under Wine. It has Windows' rules for files: folders cannot be flushed, there are no modes, and what somebody
 * has open cannot be renamed unless he lets others do so.
 */
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test, type TestContext, vi } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { createFileKey, createSigner, encodeAppId, parseToken, signUploadUrl, type Token } from "../../src/protocol.ts"
import { commandFile } from "../cli/command-file.ts"
import { startBehind } from "../cli/remote/by-hand.ts"
import { offsetOf, putRaw, randomContent } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { skipLacking } from "../skip-lacking.ts"
import { bundleProgram } from "./bundle-program.ts"
import { allSuites, describeRuntime } from "./describe-runtime.ts"
import { createFolder } from "./runtimes.ts"
import { openWine, type Wine, type WineOptions } from "./wine.ts"

/** Wine as it was opened, or a reason to skip the test. */
const wine = openWine()
const requireWine = async (context: TestContext): Promise<Wine> => {
  const opened = await wine
  return "missing" in opened ? skipLacking(context, opened.missing) : opened
}

/** Runs one of `programs` to its end. */
const runProgram = async ({ run }: Wine, program: string, args: ReadonlyArray<string>, options: WineOptions) => {
  await bundleProgram(`test/runtimes/programs/${program}.ts`, join(options.cwd, "program.mjs"))
  return run(["program.mjs", ...args], options)
}

describeRuntime({ name: "Node 22 for Windows", userAgent: "Node.js/22" }, allSuites, async (names) => {
  const opened = await wine
  if ("missing" in opened) return opened
  const { folder, remove } = await createFolder()
  try {
    return (await runProgram(opened, "node", names, { cwd: folder })).output
  } finally {
    await remove()
  }
})

describe("the drivers on Windows", { timeout: 180_000 }, () => {
  test("the disk and SQLite pass the suites for drivers", async (context) => {
    const { code, output } = await runProgram(await requireWine(context), "windows/conformance", [], {
      cwd: await makeFolder(),
    })
    expect(output.match(/^ *not ok .*/gm)).toBe(null)
    expect(code, output.slice(-2000)).toBe(0)
    expect(Number(/^# pass (\d+)$/m.exec(output)?.[1])).toBeGreaterThan(200)
  })

  test("a file that a virus scanner reads is finished once the scanner is done", async (context) => {
    const { output } = await runProgram(await requireWine(context), "windows/scanned-file", ["500"], {
      cwd: await makeFolder(),
    })
    expect(output).toBe("finished, after it was open\n")
  })

  test("what stays in use is told after 5 seconds", async (context) => {
    const { output } = await runProgram(await requireWine(context), "windows/scanned-file", ["60000"], {
      cwd: await makeFolder(),
    })
    expect(output).toBe("failed: EBUSY, while it was open\n")
  })
})

const readToken = (text: string): Token => {
  const parsed = parseToken(text)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.value
}

/** The command on Windows, in a folder with an ingest that runs there. */
const openCommand = async (context: TestContext) => {
  const { start, run } = await requireWine(context)
  const cwd = await makeFolder()
  const startIngest = async (port = "0") => {
    const ingest = start([commandFile, "ingest", "--port", port, "--data", "data"], { cwd })
    context.onTestFinished(async () => {
      ingest.child.kill("SIGKILL")
      await ingest.ended
    })
    const url = await vi.waitUntil(() => /Public URL +(\S+)/.exec(ingest.output())?.[1], { timeout: 60_000 })
    return { ...ingest, url }
  }
  return {
    cwd,
    startIngest,
    sluice: (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
      run([commandFile, ...args], { cwd, env }),
  }
}

describe("the command on Windows", { timeout: 180_000 }, () => {
  test("an ingest keeps what it has through an end by force", async (context) => {
    const { startIngest, sluice, cwd } = await openCommand(context)
    const first = await startIngest()
    const token = (await readFile(join(cwd, "data/token"), "utf8")).trim()
    const api = new SluiceApi({ token, ingestUrl: first.url, logLevel: "None" })
    const [small, large] = [randomContent(100), randomContent(3_000_000)]
    const stored = await api.uploadFiles([new File([small], "small.bin"), new File([large], "large.bin")])
    const keys = stored.map(({ data }) => data!.key)

    // An upload of which a part has come when the process is ended.
    const { apiKey, appId } = readToken(token)
    const grant = { key: createFileKey(encodeAppId(appId)), appId, expires: Date.now() + 600_000 }
    const file = { name: "half.bin", size: large.length, type: "application/octet-stream" }
    const url = await signUploadUrl(first.url, { ...grant, ...file }, createSigner(apiKey))
    const half = putRaw(url, new ReadableStream({ start: (body) => body.enqueue(large.subarray(0, 2_000_000)) })).catch(
      () => undefined,
    )
    /** Other files come and go there. */
    const isWritten = async () => {
      const names = await readdir(join(cwd, "data/files"), { recursive: true })
      const unfinished = names.find((name) => name.endsWith(".1"))
      return unfinished !== undefined && (await stat(join(cwd, "data/files", unfinished))).size > 0
    }
    await vi.waitUntil(isWritten, 60_000)
    first.child.kill("SIGKILL")
    await Promise.all([half, first.ended])

    await startIngest(new URL(url).port)
    for (const [index, bytes] of [small, large].entries()) {
      const read = await fetch(`${first.url}/f/${keys[index]}`)
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
    }
    const offset = await offsetOf(url)
    // How much of a body is written at once depends on how fast it comes.
    expect(offset).toBeGreaterThan(0)
    expect((await putRaw(url, large.subarray(offset), offset)).status).toBe(200)
    const read = await fetch(`${first.url}/f/${grant.key}`)
    expect(Buffer.from(await read.arrayBuffer()).equals(large)).toBe(true)

    const beside = await sluice(["ingest", "--port", "0", "--data", "data"])
    expect(beside).toEqual({ code: 1, output: expect.stringContaining("Another ingest is running on the data folder") })
    const doctor = await sluice(["doctor", "--data", "data"], { SLUICE_TOKEN: token, SLUICE_INGEST_URL: first.url })
    expect(doctor.output).toContain("✓ Access        not checked on Windows")
    expect(doctor.output).toContain("✓ Ingest        answers")

    for (const [args, says] of [
      [["backup", "kept", "--data", "data"], "Backed up 3 files"],
      [["backup", "verify", "kept"], "All is well. Verified the backup"],
      [["backup", "restore", "kept", "--data", "other"], "Restored 3 files"],
      [["files", "verify", "--data", "other"], "All is well. Verified 3 files"],
    ] as const) {
      expect(await sluice(args), args.join(" ")).toEqual({ code: 0, output: expect.stringContaining(says) })
    }

    await writeFile(join(cwd, "hand.bin"), large)
    const env = { SLUICE_TOKEN: token, SLUICE_INGEST_URL: first.url }
    const put = await sluice(["put", "hand.bin"], env)
    expect(put).toEqual({ code: 0, output: expect.stringContaining("hand.bin") })
    const [key] = put.output.split(" ")
    expect(await sluice(["get", key!, "-o", "back.bin"], env)).toEqual({ code: 0, output: "back.bin\n" })
    expect((await readFile(join(cwd, "back.bin"))).equals(large)).toBe(true)
  })

  test("a download goes on where it was ended", async (context) => {
    const { start } = await requireWine(context)
    const ranges: Array<string | undefined> = []
    const hand = await startBehind((passing) => {
      if (passing.method !== "GET" || !passing.path.startsWith("/f/")) return
      ranges.push(passing.asked.range)
      if (ranges.length === 1) passing.cut = { at: 400_000, when: new Promise(() => {}) }
    })
    const content = randomContent(1_000_000)
    const { data } = await hand.api.uploadFiles(new File([content], "large.bin"))
    const env = { SLUICE_TOKEN: hand.token }
    const get = () => start([commandFile, "get", data!.key], { cwd: hand.folder, env })
    const first = get()
    const part = join(hand.folder, "large.bin.part")
    const size = () =>
      readFile(part).then(
        ({ length }) => length,
        () => 0,
      )
    await vi.waitUntil(async () => (await size()) === 400_000, 60_000)
    first.child.kill("SIGKILL")
    await first.ended
    expect(await get().ended).toEqual({ code: 0, output: "large.bin\n" })
    expect(ranges).toEqual([undefined, "bytes=400000-"])
    expect((await readFile(join(hand.folder, "large.bin"))).equals(content)).toBe(true)
  })

  test("`sluice dev` starts an ingest and what stands behind it", async (context) => {
    const { sluice } = await openCommand(context)
    const dev = await sluice(["dev", "--port", "0", "--data", "data", "--", "cmd", "/c", "echo given %SLUICE_TOKEN%"])
    expect(dev.code, dev.output).toBe(0)
    const [, at] = /Sluice ingest at (\S+), data in data/.exec(dev.output)!
    const [, token] = /given (\S+)/.exec(dev.output)!
    expect(readToken(token!).ingestUrl).toBe(at)
  })
})
