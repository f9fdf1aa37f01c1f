import { spawn } from "node:child_process"
import { readFile, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { readBlocks } from "../../code-blocks.ts"
import { makeFolder } from "../../make-folder.ts"
import { eventually, startIngest } from "../circle.ts"
import { scanSecret } from "./fake-url-scanner.ts"
import { sendHeld } from "./held.ts"

const root = join(import.meta.dirname, "../../..")

const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

it("the scanner of docs/scanning.md works as it stands there", async () => {
  const blocks = readBlocks(await readFile(join(root, "docs/scanning.md"), "utf8"))
  const { code } = blocks.find(({ path }) => path === "scanner.ts")!
  const folder = await makeFolder()
  await writeFile(join(folder, "package.json"), '{ "type": "module" }')
  await writeFile(join(folder, "scanner.ts"), code)
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  const port = await findFreePort()
  const env = { ...process.env, PORT: String(port), SLUICE_SCAN_SECRET: scanSecret }
  const scanner = spawn(process.execPath, ["scanner.ts"], { cwd: folder, env, stdio: "inherit" })
  const ended = new Promise((resolve) => scanner.on("exit", resolve))
  onTestFinished(async () => {
    scanner.kill()
    await ended
  })
  const url = `http://127.0.0.1:${port}/scan`
  await eventually(
    async () => (await fetch(url, { method: "POST", body: "{}" }).catch(() => undefined))?.status === 401,
  )
  const ingest = await startIngest({ scan: { url, secret: scanSecret } })
  const good = await sendHeld(ingest, "hello")
  const evil = await sendHeld(ingest, "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*")
  const fileOf = async (key: string) => (await ingest.catalog.get(key))!.file
  await eventually(async () => !(await fileOf(good.key)).hold && !(await fileOf(evil.key)).hold)
  expect((await fileOf(good.key)).status).toBe("Uploaded")
  expect((await fileOf(evil.key)).failure).toEqual({ code: "REJECTED", message: "The file is a virus." })
})
