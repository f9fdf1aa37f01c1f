/** How much is logged. */
export type LogLevel = "All" | "Fatal" | "Error" | "Warning" | "Info" | "Debug" | "Trace" | "None"

/** One line for each entry. `text` for people, with a cause's stack indented below it; `json` for machines. */
export type LogFormat = "text" | "json"

export const logLevels: ReadonlyArray<LogLevel> = ["All", "Fatal", "Error", "Warning", "Info", "Debug", "Trace", "None"]

export const logFormats: ReadonlyArray<LogFormat> = ["text", "json"]
