declare const Deno: {
  readonly serve: (
    options: {
      readonly port: number
      readonly hostname: string
      readonly onListen: () => void
      readonly signal: AbortSignal
    },
    handle: (request: Request) => Response | Promise<Response>,
  ) => { readonly addr: { readonly port: number }; readonly finished: Promise<void> }
}

/** Listens on a free port as programs for Deno do. */
export const serveOnDeno = (
  handle: (request: Request) => Response | Promise<Response>,
): { readonly origin: string; readonly close: () => Promise<void> } => {
  const stop = new AbortController()
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: stop.signal }
  const { addr, finished } = Deno.serve(options, handle)
  return {
    origin: `http://127.0.0.1:${addr.port}`,
    close: () => {
      stop.abort()
      return finished
    },
  }
}
