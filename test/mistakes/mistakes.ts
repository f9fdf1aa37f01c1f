import { chmod, mkdir } from "node:fs/promises"
import { commandFile } from "../cli/command-file.ts"
import { start } from "../newcomer/shell.ts"
import type { Mistake } from "./mistake.ts"

/** An app whose clock is wrong by so many milliseconds. */
const shiftClock = (ms: number) => `--import 'data:text/javascript,const now=Date.now;Date.now=()=>now()+(${ms})'`

const day = 86_400_000

/** What newcomers do wrong. `cause` and `fix` are fragments that whoever can mend it has to read. */
export const mistakes: ReadonlyArray<Mistake> = [
  {
    name: "The server runs without `SLUICE_TOKEN`",
    run: () => ({ withoutDev: true, env: { SLUICE_TOKEN: "" } }),
    reader: ["developer", "operator"],
    cause: /SLUICE_TOKEN[^.]* is (not set|missing|empty)|no token|without a token|SLUICE_TOKEN is not set/i,
    fix: /sluice dev|sluice ingest|sluice token|set (the environment variable )?SLUICE_TOKEN/i,
  },
  {
    name: "The token is in a variable for browsers, `NEXT_PUBLIC_SLUICE_TOKEN`",
    run: ({ token }) => ({ withoutDev: true, env: { SLUICE_TOKEN: "", NEXT_PUBLIC_SLUICE_TOKEN: token } }),
    reader: ["developer", "operator"],
    cause: /NEXT_PUBLIC_SLUICE_TOKEN/,
    fix: /SLUICE_TOKEN[^]*(browser|public|replace|revoke)/i,
  },
  {
    name: "The token is cut short",
    run: ({ token }) => ({ withoutDev: true, env: { SLUICE_TOKEN: token.slice(0, 20) } }),
    reader: ["developer", "operator"],
    cause: /the token's \w+ is not|not a token/i,
    fix: /sluice (token|ingest|dev)|copy/i,
  },
  {
    name: "The token is that of another app",
    run: ({ otherToken, ingestUrl }) => ({ env: { SLUICE_TOKEN: otherToken, SLUICE_INGEST_URL: ingestUrl } }),
    stages: ["production"],
    reader: ["operator"],
    cause: /does not accept the app's token|key that the ingest at \S+ does not know/i,
    fix: /sluice token explain|SLUICE_TOKEN/,
  },
  {
    name: "`SLUICE_CALLBACK_URL` is missing in production",
    run: () => ({ env: { SLUICE_CALLBACK_URL: "" } }),
    stages: ["production"],
    reader: ["operator"],
    cause: /SLUICE_CALLBACK_URL/,
    fix: /SLUICE_CALLBACK_URL[^]*https?:\/\//,
  },
  {
    name: "`SLUICE_CALLBACK_URL` has a wrong path",
    run: ({ appUrl }) => ({ env: { SLUICE_CALLBACK_URL: `${appUrl}/api/upload` } }),
    reader: ["developer", "operator"],
    cause: /404/,
    fix: /callback URL|SLUICE_CALLBACK_URL|sluice doctor/i,
  },
  {
    name: "`SLUICE_CALLBACK_URL` names a port where nothing listens",
    run: ({ deadUrl }) => ({ env: { SLUICE_CALLBACK_URL: `${deadUrl}/api/sluice` } }),
    stages: ["production"],
    reader: ["operator"],
    cause: /refused|cannot be reached|not reached|ECONNREFUSED|nothing answers/i,
    fix: /SLUICE_CALLBACK_URL|callback URL/i,
  },
  {
    name: "`SLUICE_CALBACK_URL`: the variable's name is misspelt",
    run: ({ appUrl }) => ({ env: { SLUICE_CALLBACK_URL: "", SLUICE_CALBACK_URL: `${appUrl}/api/sluice` } }),
    stages: ["production"],
    reader: ["operator"],
    cause: /SLUICE_CALBACK_URL/,
    fix: /SLUICE_CALLBACK_URL/,
  },
  {
    name: "A login redirects everybody, the ingest too",
    written: {
      mount: `app.use((req, res, next) => (!/Mozilla/.test(req.get("user-agent")) ? res.redirect(307, "/login") : next()))
app.use("/api/sluice", uploads)`,
    },
    reader: ["developer", "operator"],
    cause: /redirect|307|\/login/i,
    fix: /let [^.]*\/api\/sluice[^.]* through|proxy\.ts|middleware|need no login/i,
  },
  {
    name: "The routes are mounted elsewhere than the page looks for them",
    written: { mount: `app.use("/api/uploads", uploads)` },
    run: ({ appUrl }) => ({ env: { SLUICE_CALLBACK_URL: `${appUrl}/api/uploads` } }),
    reader: ["developer", "operator"],
    cause: /\/api\/sluice/,
    fix: /\burl\b|mount/i,
  },
  {
    name: "The route file does not export `POST`",
    written: {
      mount: `app.use("/api/sluice", (req, res, next) => (req.method === "POST" ? res.status(405).end() : next()), uploads)`,
    },
    reader: ["developer"],
    cause: /405|POST/,
    fix: /export[^.]*POST|GET, POST|GET and POST/,
  },
  {
    name: "`express.json()` stands in front of the routes",
    written: { mount: `app.use(express.json())\napp.use("/api/sluice", uploads)` },
    reader: ["developer", "operator"],
    cause: /express\.json|body parser|parsed/i,
    fix: /before|in front|rawBody/i,
  },
  {
    name: "The page names a route that is not there",
    written: { markup: `<sluice-button endpoint="avatr"></sluice-button>` },
    reader: ["developer"],
    cause: /avatr\b/,
    fix: /avatar\b/,
  },
  {
    name: "A file is too large",
    files: [{ name: "photo.png", mimeType: "image/png", size: 2_000_000 }],
    reader: ["user"],
    cause: /photo\.png[^]*(2(\.0)?\s?MB|larger|too large|too big)|(larger|too large|too big)/i,
    fix: /1\s?MB/,
  },
  {
    name: "A file is of a type that the route does not take",
    files: [{ name: "notes.txt", mimeType: "text/plain" }],
    reader: ["user"],
    cause: /notes\.txt|text\/plain|\.txt/i,
    fix: /image/i,
  },
  {
    name: "Too many files are chosen",
    written: {},
    files: ["a.png", "b.png", "c.png"].map((name) => ({ name, mimeType: "image/png" })),
    reader: ["user"],
    cause: /too many|more than|3 (files|images)|at most|up to/i,
    fix: /(at most|up to|only|than) (2|two)|2 (at most|images)/i,
  },
  {
    name: "`middleware` throws an `UploadError` for the user",
    written: { middleware: `() => { throw new UploadError("Sign in first.") }` },
    reader: ["user"],
    cause: /sign in first/i,
    fix: /sign in/i,
  },
  {
    name: "`middleware` throws an error of its own",
    written: { middleware: `() => { throw new TypeError("db.users is undefined") }` },
    reader: ["developer", "operator"],
    cause: /db\.users is undefined/,
    fix: /middleware[^.]*avatar|avatar[^.]*middleware/i,
  },
  {
    name: "`onUploadComplete` throws",
    written: { onUploadComplete: `() => { throw new TypeError("db.photos is undefined") }` },
    reader: ["developer", "operator"],
    cause: /db\.photos is undefined/,
    fix: /onUploadComplete[^.]*avatar|avatar[^.]*onUploadComplete/i,
  },
  {
    name: "The ingest does not run",
    run: ({ token, deadUrl }) => ({ withoutDev: true, env: { SLUICE_TOKEN: token, SLUICE_INGEST_URL: deadUrl } }),
    reader: ["developer", "operator"],
    cause: /ingest[^.]*(cannot be reached|not reached|refused|does not answer)|ECONNREFUSED/i,
    fix: /sluice (ingest|dev|doctor)|SLUICE_INGEST_URL/,
  },
  {
    name: "Something else answers at the ingest's address",
    run: ({ token, otherUrl }) => ({ withoutDev: true, env: { SLUICE_TOKEN: token, SLUICE_INGEST_URL: otherUrl } }),
    reader: ["developer", "operator"],
    cause: /HTML|not an? (Sluice )?ingest|something else/i,
    fix: /SLUICE_INGEST_URL|sluice doctor/,
  },
  {
    name: "A proxy in front of the ingest refuses large bodies (413)",
    run: ({ proxyUrl }) => ({ env: { SLUICE_INGEST_URL: proxyUrl }, ingest: `--url ${proxyUrl}` }),
    stages: ["production"],
    files: [{ name: "photo.png", mimeType: "image/png", size: 100_000 }],
    reader: ["developer"],
    cause: /413|refuses bodies|too large/i,
    fix: /proxy|client_max_body_size/i,
  },
  {
    name: "A proxy in front of the ingest gives up early (504)",
    run: ({ proxyUrl }) => ({ env: { SLUICE_INGEST_URL: proxyUrl }, ingest: `--url ${proxyUrl}` }),
    stages: ["production"],
    files: [{ name: "slow.png", mimeType: "image/png" }],
    reader: ["developer"],
    cause: /504|gave up|time-?out/i,
    fix: /proxy_read_timeout|timeouts? of (the|a) proxy|proxy/i,
  },
  {
    name: "The app's clock is a day behind",
    run: () => ({ nodeArgs: shiftClock(-day) }),
    reader: ["developer", "operator"],
    cause: /clock/i,
    fix: /clock[^]*(set|NTP|synchroni[sz]|behind|doctor)|(set|NTP|synchroni[sz])[^]*clock/i,
  },
  {
    name: "The app is on another origin, without CORS",
    written: ({ appUrl }) => ({
      markup: `<sluice-button endpoint="avatar" url="${appUrl}/api/sluice"></sluice-button>`,
    }),
    run: ({ pageUrl }) => ({ page: pageUrl }),
    reader: ["developer"],
    cause: /CORS|Access-Control-Allow-Origin/i,
    fix: /Access-Control-Allow-Origin|CORS/i,
  },
  {
    name: "The page's Content-Security-Policy leaves the ingest out",
    written: { pageHeaders: { "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'" } },
    reader: ["developer"],
    cause: /Content.Security.Policy/i,
    fix: /connect-src/,
  },
  {
    name: "An option of a route is misspelt",
    written: { route: `f({ image: { maxFilesize: "1MB" } })` },
    reader: ["developer", "operator"],
    cause: /maxFilesize/,
    fix: /maxFileSize/,
  },
  {
    name: "A size is written as nobody reads it",
    written: { route: `f({ image: { maxFileSize: "1 megabyte" } })` },
    reader: ["developer", "operator"],
    cause: /1 megabyte/,
    fix: /1MB|4MB|MB\b/,
  },
  {
    name: "The stylesheet is not imported",
    written: { stylesheet: false },
    reader: ["developer"],
    cause: /styles\.css/,
    fix: /styles\.css/,
  },
  {
    name: "A second ingest runs on the same data folder",
    run: ({ data, token }) => ({
      before: async () => {
        const first = start(
          `${JSON.stringify(process.execPath)} ${JSON.stringify(commandFile)} ingest --port 0 --data ${data}`,
          {
            cwd: process.cwd(),
            env: { SLUICE_TOKEN: token },
          },
        )
        await first.prints(/listening|started|http:/)
        return first.end
      },
    }),
    reader: ["developer", "operator"],
    cause: /another|already|in use|second/i,
    fix: /data folder|--data|stop|pid|process/i,
  },
  {
    name: "Everybody on the machine may write into the data folder",
    run: ({ data }) => ({
      before: async () => {
        await mkdir(data, { recursive: true })
        await chmod(data, 0o777)
      },
    }),
    reader: ["developer", "operator"],
    cause: /other users|others|everybody|anybody|write/i,
    fix: /chmod|chown|--data/,
  },
  {
    name: "The disk is full",
    run: () => ({ ingest: "--minimum-free 900TB" }),
    files: [{ name: "photo.png", mimeType: "image/png", size: 100_000 }],
    reader: ["developer", "operator"],
    cause: /disk|room|free|space/i,
    fix: /make room|free|minimum/i,
  },
]
