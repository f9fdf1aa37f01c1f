import type { NodeRequest, NodeResponse } from "./node-message.ts"

const waiting = new WeakMap<NodeRequest, () => void>()

/** Whether the client withholds its body until it is asked for it, and has not been asked. */
export const isHeldBack = (req: NodeRequest): boolean => waiting.has(req)

/** Asks for a body that a client withholds; does nothing otherwise. */
export const askForBody = (req: NodeRequest): void => {
  waiting.get(req)?.()
  waiting.delete(req)
}

/**
 * A listener of the event `checkContinue`, which Node's servers emit for requests with `expect: 100-continue`:
 * `server.on("checkContinue", deferContinue(listener))`. Without it Node asks for the body before any code has seen
 * the request. With it `100 Continue` is sent when the handler begins to read, and a handler that refuses the request
 * unread is never sent the body (RFC 9110 §10.1.1).
 *
 * @param listener made by {@link toNodeListener} or `createRouteHandler`; a listener that reads the body without
 *                 Sluice must call `res.writeContinue()` itself
 */
export const deferContinue =
  <Req extends NodeRequest, Res extends NodeResponse>(listener: (req: Req, res: Res) => unknown) =>
  (req: Req, res: Res): void => {
    waiting.set(req, () => {
      if (!res.headersSent) res.writeContinue()
    })
    void listener(req, res)
  }
