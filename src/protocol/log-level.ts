/** How much is logged. */
export type LogLevel = "All" | "Fatal" | "Error" | "Warning" | "Info" | "Debug" | "Trace" | "None"

/** `text` for people, `json` for machines: one line an entry. */
export type LogFormat = "text" | "json"

export const logLevels: ReadonlyArray<LogLevel> = ["All", "Fatal", "Error", "Warning", "Info", "Debug", "Trace", "None"]

export const logFormats: ReadonlyArray<LogFormat> = ["text", "json"]
