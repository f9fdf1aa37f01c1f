import * as Schema from "effect/Schema"

/** An absolute URL of a web server. */
export const HttpUrl: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter(
    (url: string) => (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) || "Expected an http(s) URL",
  ),
)
