import { judge } from "./report.ts"
import type { Results } from "./results.ts"

const link = "[all figures, and where it is behind](bench/RESULTS.md)"

/** How many times as fast, as people say it; undefined where it was not measured. */
const readTimes = (results: Results, bench: string, title: string, to: string): string | undefined => {
  const report = results.get(bench)?.reports.find((report) => report.title === title)
  const verdict = report && judge(report).find((verdict) => verdict.of === "sluice" && verdict.to === to)
  return verdict && String(Number(verdict.value.median.toPrecision(2)))
}

const tellPut = (results: Results): string | undefined => {
  const read = (title: string) => readTimes(results, "put", title, "@tus/server")
  const small = read("PUT, 1 KiB files, 16 at once")
  const middle = read("PUT, 10 MiB files, one after the other")
  const large = read("PUT, a file of 1 GiB")
  if (small === undefined || middle === undefined || large === undefined) return
  return `On ${results.get("put")!.machine.cpu} it takes ${small} times as many 1 KiB files a second as \`@tus/server\`, 10 MiB files ${middle} times as fast, a file of 1 GiB ${large} times.`
}

const tellClient = (results: Results): string | undefined => {
  const small = readTimes(results, "client", "Uploads from Node, 1 KiB files, 4 at once", "tus-js-client")
  if (small === undefined) return
  return `From the client to your app's answer, 1 KiB files go ${small} times as fast as with \`tus-js-client\` and \`@tus/server\`, which call no app.`
}

/** What the README says of speed, taken from the results: a paragraph without line breaks. */
export const tellSpeed = (results: Results): string => {
  const sentences = [tellPut(results), tellClient(results)].filter((sentence) => sentence !== undefined)
  const told =
    sentences.length === 0 ? "`npm run bench` measures it beside others" : `${sentences.join(" ")} Medians of one run`
  return `**It is fast**, with SHA-256 and flushes on. ${told}: ${link}.`
}

/** Breaks a paragraph into lines of a list's entry. */
const wrap = (text: string, width: number): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!
    if (line === "") lines[lines.length - 1] = word
    else if (line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.join("\n  ")
}

const entry = /^- \*\*It is fast\*\*[^]*?(?=\n(?:\n|- ))/m

/** The README with what it says of speed. Throws where it has no such entry. */
export const replaceSpeed = (readme: string, results: Results): string => {
  if (!entry.test(readme)) throw new Error("README.md has no entry that begins with **It is fast**.")
  return readme.replace(entry, () => `- ${wrap(tellSpeed(results), 136)}`)
}
