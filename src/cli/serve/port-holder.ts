import { readdir, readFile, readlink } from "node:fs/promises"
import { join } from "node:path"

/** State of a listening socket in /proc/net/tcp. */
const listening = "0A"

/** The numbers of the sockets that listen on a port. Source: Linux, Documentation/networking/proc_net_tcp.rst. */
const findSockets = async (port: number): Promise<ReadonlySet<string>> => {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0")
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((file) => readFile(file, "utf8").catch(() => "")),
  )
  return new Set(
    tables.flatMap((table) =>
      table.split("\n").flatMap((line) => {
        const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/)
        return state === listening && local.endsWith(`:${wanted}`) && inode !== undefined ? [`socket:[${inode}]`] : []
      }),
    ),
  )
}

const holds = async (pid: string, sockets: ReadonlySet<string>): Promise<boolean> => {
  const folder = `/proc/${pid}/fd`
  for (const name of await readdir(folder).catch(() => [])) {
    if (sockets.has(await readlink(join(folder, name)).catch(() => ""))) return true
  }
  return false
}

/**
 * What listens on a port, as far as Linux tells this user: `process 4711 (node, in /home/me/shop)`; undefined where it
 * does not, and on other systems. Never a command line, which may hold secrets.
 */
export const findPortHolder = async (port: number): Promise<string | undefined> => {
  const sockets = await findSockets(port)
  if (sockets.size === 0) return undefined
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid) || !(await holds(pid, sockets))) continue
    const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "")
    const known = [name.trim(), folder && `in ${folder}`].filter((part) => part !== "")
    return `process ${pid}${known.length === 0 ? "" : ` (${known.join(", ")})`}`
  }
  return undefined
}

/** The command that shows what listens on a port. */
export const howToFindHolder = (port: number): string =>
  process.platform === "win32" ? `netstat -ano | findstr :${port}` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`
