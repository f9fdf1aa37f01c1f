#!/usr/bin/env node
/*
 * The `sluice` command.
 *
 * Exit codes: 0 done · 1 failed · 2 wrong usage · 128 + signal when a second signal forced the end.
 * Considerations: everything else is imported after the check of the version, so that an old Node gets a sentence
 * and not a stack trace.
 */
const oldest = [22, 19] as const
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

// Node 22 warns in each process that its SQLite is experimental. What is used of it is tested on that line as well.
const warn = process.listeners("warning")
process.removeAllListeners("warning")
process.on("warning", (warning) => {
  if (warning.name === "ExperimentalWarning" && warning.message.startsWith("SQLite ")) return
  for (const listener of warn) listener(warning)
})

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(`sluice needs Node.js ${oldest.join(".")} or newer; this is ${process.versions.node}.`)
  process.exitCode = 1
} else {
  // First, so that no output fails unseen.
  const { watchOutput } = await import("./terminal/output-failure.ts")
  watchOutput()
  const { runCommand } = await import("./program.ts")
  process.exitCode = await runCommand(process.argv.slice(2))
}
