declare const Bun: {
  readonly serve: (options: {
    readonly port: number
    readonly hostname: string
    readonly fetch: (request: Request) => Response | Promise<Response>
  }) => { readonly port: number; readonly stop: (isForced: boolean) => Promise<void> }
}

/** Listens on a free port as programs for Bun do. */
export const serveOnBun = (
  fetch: (request: Request) => Response | Promise<Response>,
): { readonly origin: string; readonly close: () => Promise<void> } => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch })
  return { origin: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) }
}
