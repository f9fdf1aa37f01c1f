import { type IncomingMessage, request, type ServerResponse } from "node:http"

const nginx = (status: string) => `<html>\r
<head><title>${status}</title></head>\r
<body>\r
<center><h1>${status}</h1></center>\r
<hr><center>nginx/1.27.3</center>\r
</body>\r
</html>\r
`

/**
 * A proxy as nginx is with `client_max_body_size 1k`, and with a `proxy_read_timeout` that is over for every file whose
 * name begins with `slow`. Pages of other origins may read what it says, as those of its own origin may.
 */
export const createProxy =
  (target: string) =>
  (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const refuse = (status: number, title: string) => {
      incoming.resume()
      outgoing
        .writeHead(status, { server: "nginx/1.27.3", "content-type": "text/html", "access-control-allow-origin": "*" })
        .end(nginx(`${status} ${title}`))
    }
    // The app posts too, to addresses without a signature.
    const isUpload = /^(?:PUT|POST)$/.test(incoming.method ?? "") && incoming.url?.includes("&signature=")
    if (isUpload && Number(incoming.headers["content-length"] ?? 0) > 1024) {
      return refuse(413, "Request Entity Too Large")
    }
    if (isUpload && /[?&][^=]*name=slow/i.test(incoming.url ?? "")) return refuse(504, "Gateway Time-out")
    const url = new URL(incoming.url ?? "/", target)
    const onward = request(
      url,
      { method: incoming.method, headers: { ...incoming.headers, host: url.host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on("error", () => refuse(502, "Bad Gateway"))
    incoming.pipe(onward)
  }
