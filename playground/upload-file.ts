import { createHash } from "node:crypto"
import { createReadStream, openAsBlob } from "node:fs"
import { basename } from "node:path"
import { styleText } from "node:util"
import { generateUploader } from "../src/client.ts"
import { formatByteSize, names } from "../src/protocol.ts"
import type { LocalFile } from "./check-files.ts"
import type { Playground } from "./playground.ts"
import type { router } from "./router.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)

const hash = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const sha256 = createHash("sha256")
  for await (const chunk of chunks) sha256.update(chunk)
  return sha256.digest("hex")
}

const hashStored = async (url: string): Promise<string> => {
  const response = await fetch(url)
  if (!response.ok || response.body === null) throw new Error(`GET ${url} was answered ${response.status}.`)
  return hash(response.body)
}

/** The moments the app answers at, as `startPlayground` reports them. */
export interface AnswerListener {
  listener?: (action: string, status: number) => void
}

/**
 * Uploads one file through the real client, app and ingest, and prints each step.
 *
 * @returns whether the file, what the ingest reported and what it serves are the same bytes
 */
export const uploadFile = async (
  { given, path }: LocalFile,
  { url }: Playground,
  answers: AnswerListener,
  signal: AbortSignal,
): Promise<boolean> => {
  const blob = await openAsBlob(path)
  const name = basename(path)
  const file = new File([blob], name)
  const { uploadFiles } = generateUploader<typeof router>({ url: url + names.adapterPath })

  say(`\n${styleText("bold", given)}  ${formatByteSize(file.size)}`)
  const startedAt = Date.now()
  const print = (step: string, at = Date.now()) => say(`${String(at - startedAt).padStart(7)} ms  ${step}`)
  const marks = [25, 50, 75]
  let hasLeft = false
  let callback: { readonly at: number; readonly status: number } | undefined
  answers.listener = (action, status) => {
    if (action === names.action.upload) print(`presigned: the app answered ${status}`)
    else callback = { at: Date.now(), status }
  }
  const [outcome] = await uploadFiles("anything", {
    files: [file],
    signal,
    onUploadProgress: ({ loaded }) => {
      if (!hasLeft && loaded > 0) print("first bytes sent")
      hasLeft ||= loaded > 0
      while (marks[0] !== undefined && loaded * 100 >= marks[0] * file.size && file.size > 0) {
        print(`${marks.shift()} % sent`)
      }
    },
  })
  if (outcome?.status !== "done") {
    print(styleText("red", `${outcome?.status}: ${outcome?.error.code}: ${outcome?.error.detail}`))
    return false
  }
  print("stored: on disk, durable", outcome.uploadedAt)
  if (callback === undefined) print(styleText("red", "no callback reached the app"))
  else
    print(
      `callback received, signature verified, onUploadComplete ran: the app answered ${callback.status}`,
      callback.at,
    )
  print(`serverData back: ${JSON.stringify(outcome.serverData)}`)

  const hashes = [
    ["SHA-256 of the file", await hash(createReadStream(path, { highWaterMark: 1024 * 1024 }))],
    ["reported by the ingest", outcome.fileHash],
    ["read back over HTTP", await hashStored(outcome.url)],
  ] as const
  say("")
  for (const [what, value] of hashes) say(`  ${what.padEnd(24)}${value}`)
  const isEqual = new Set(hashes.map(([, value]) => value)).size === 1
  say(`  ${isEqual ? styleText("green", "All three are equal.") : styleText("red", "They differ.")}  ${outcome.url}`)
  const seconds = Math.max(1, outcome.uploadedAt - startedAt) / 1000
  say(`  ${formatByteSize(file.size / seconds)}/s from the request to the last durable byte`)
  return isEqual && callback?.status === 200
}
