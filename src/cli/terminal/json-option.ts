import { Option } from "commander"

/** `--json`. What it prints is described in docs/cli.md. */
export const jsonOption = (): Option => new Option("--json", "JSON, for scripts")
