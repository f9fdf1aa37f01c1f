import { styleText } from "node:util"
import { formatByteSize } from "../src/protocol.ts"
import { checkFiles } from "./check-files.ts"
import { startPlayground } from "./playground.ts"
import { captureConsole } from "./server-log.ts"
import { type AnswerListener, uploadFile } from "./upload-file.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)
const complain = (line: string) => process.stderr.write(`${styleText("red", line)}\n`)

/**
 * `npm start -- file…`: the whole circle without a browser.
 *
 * @returns the exit code: 0 only if every file came back byte for byte and its callback was verified
 */
export const runHeadless = async (given: ReadonlyArray<string>): Promise<number> => {
  const { files, problems } = await checkFiles(given)
  if (problems.length > 0) {
    for (const problem of problems) complain(problem)
    return 1
  }
  const interrupt = new AbortController()
  let signalled: 130 | 143 | undefined
  const onSignal = (code: 130 | 143) => () => {
    if (signalled !== undefined) process.exit(code)
    signalled = code
    interrupt.abort()
  }
  process.on("SIGINT", onSignal(130)).on("SIGTERM", onSignal(143))

  // The steps tell the story; of what the servers say only trouble is shown.
  const log = captureConsole(({ source, level, text }) => {
    if (level !== "info") process.stderr.write(`${source}: ${text}\n`)
  })
  const answers: AnswerListener = {}
  const playground = await startPlayground({
    appPort: 0,
    ingestPort: 0,
    log,
    logLevel: "Warning",
    onAnswer: (action, status) => answers.listener?.(action, status),
  })
  say(styleText("dim", `app ${playground.url} · ingest ${playground.ingest.url}, a process of its own`))
  let succeeded = 0
  for (const file of files) {
    if (signalled === undefined && (await uploadFile(file, playground, answers, interrupt.signal))) succeeded++
  }
  const { peakMemory } = await playground.stop()
  say(`\nPeak memory of the ingest process: ${formatByteSize(peakMemory)}`)
  if (signalled !== undefined) return signalled
  if (succeeded === files.length) return 0
  complain(`${files.length - succeeded} of ${files.length} did not come through.`)
  return 1
}
