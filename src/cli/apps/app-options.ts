import { type Command, InvalidArgumentError, Option } from "commander"
import type { AppSettings } from "../../ingest.ts"
import { type Outcome, parseByteSize } from "../../protocol.ts"
import { toArgParser } from "../settings/setting-options.ts"

const accept = <A>(value: A): Outcome<A> => ({ ok: true, value })
const refuse = (detail: string): Outcome<never> => ({ ok: false, code: "INVALID_CONFIG", detail })

/** Reads the id of a new app, which appears in URLs and in scripts. */
export const parseAppId = (text: string): Outcome<string> =>
  /^[a-z\d][\w.~-]{0,63}$/i.test(text)
    ? accept(text)
    : refuse("Expected at most 64 letters, digits and `-._~`, with a letter or digit first.")

const parseName = (text: string): Outcome<string | null> =>
  text.length > 200 ? refuse("Expected at most 200 characters.") : accept(text.trim() === "" ? null : text)

const parseAcl = (text: string): Outcome<AppSettings["defaultAcl"]> => {
  if (text === "default") return accept(null)
  return text === "public-read" || text === "private"
    ? accept(text)
    : refuse("Expected one of public-read, private, default.")
}

const parseQuota = (text: string): Outcome<AppSettings["quota"]> => {
  if (text === "default") return accept(null)
  if (text === "none") return accept("unlimited")
  const size = parseByteSize(/^\d+$/.test(text) ? Number(text) : text)
  return size.ok ? size : refuse("Expected a size like 10GB, `none` for no limit, or `default`.")
}

/** Reads an origin as people write it: `https://App.Example.com:443/` → `https://app.example.com`. */
export const parseOrigin = (text: string): Outcome<string> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname.includes("*")) {
    return refuse("Expected an http(s) origin, written like https://app.example.com.")
  }
  return url.pathname === "/" && !/[?#@]/.test(text)
    ? accept(url.origin)
    : refuse(`Expected an origin without path, query and user name: write ${url.origin}.`)
}

/** A value that was given; commander itself treats a bare null as one that it failed to read. */
interface Given<A> {
  readonly value: A
}

/** The values of the options below. */
export interface AppOptions {
  readonly name?: Given<AppSettings["name"]>
  readonly defaultAcl?: Given<AppSettings["defaultAcl"]>
  readonly quota?: Given<AppSettings["quota"]>
  readonly callbackOrigin?: Given<AppSettings["callbackOrigins"]>
}

/** `any`, or an additional origin. */
const collectOrigin = (text: string, before: AppOptions["callbackOrigin"]): AppOptions["callbackOrigin"] => {
  const isAny = text === "any" || text === "default"
  if (before !== undefined && (isAny || before.value === null)) {
    throw new InvalidArgumentError("Expected `any` alone, or origins.")
  }
  return { value: isAny ? null : [...new Set([...(before?.value ?? []), toArgParser(parseOrigin)(text)])] }
}

const option = <A>(flags: string, description: string, parse: (text: string) => Outcome<A>): Option => {
  const read = toArgParser(parse)
  return new Option(flags, description).argParser((text): Given<A> => ({ value: read(text) }))
}

/** Gives a command an option for each setting of an app. */
export const addAppOptions = (command: Command): Command =>
  command
    .addOption(option("--name <name>", 'the name to show for it; "" for none', parseName))
    .addOption(
      option(
        "--default-acl <acl>",
        "who may read its files where their route does not say: public-read, private, default (as the ingest)",
        parseAcl,
      ),
    )
    .addOption(
      option(
        "--quota <size>",
        "how much its files may take in total, none, or default (the ingest's setting)",
        parseQuota,
      ),
    )
    .addOption(
      new Option("--callback-origin <origin>", "where its callbacks may go, or any; repeatable").argParser(
        collectOrigin,
      ),
    )

/** The settings that were given. */
export const toAppSettings = ({ name, defaultAcl, quota, callbackOrigin }: AppOptions): Partial<AppSettings> => ({
  ...(name && { name: name.value }),
  ...(defaultAcl && { defaultAcl: defaultAcl.value }),
  ...(quota && { quota: quota.value }),
  ...(callbackOrigin && { callbackOrigins: callbackOrigin.value }),
})
