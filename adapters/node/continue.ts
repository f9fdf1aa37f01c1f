import type { NodeRequest, NodeResponse } from "./node-message.ts"

const waiting = new WeakMap<NodeRequest, () => void>()

/** Whether the client holds its body back until it is asked for it, and has not been. */
export const isHeldBack = (req: NodeRequest): boolean => waiting.has(req)

/** Asks for the body that a client holds back; nothing where it does not. */
export const askForBody = (req: NodeRequest): void => {
  waiting.get(req)?.()
  waiting.delete(req)
}

/**
 * A listener of the event `checkContinue`, which Node's servers emit for requests with `expect: 100-continue`:
 * `server.on("checkContinue", deferContinue(listener))`. Without it Node asks for the body before anybody has looked
 * at the request; with it `100 Continue` goes out when the handler begins to read, and one that refuses the request
 * unread is never sent the body (RFC 9110 §10.1.1).
 *
 * @param listener what {@link toNodeListener} or `createRouteHandler` has made; one that reads the body past Sluice must
 *                 call `res.writeContinue()` itself
 */
export const deferContinue =
  <Req extends NodeRequest, Res extends NodeResponse>(listener: (req: Req, res: Res) => unknown) =>
  (req: Req, res: Res): void => {
    waiting.set(req, () => {
      if (!res.headersSent) res.writeContinue()
    })
    void listener(req, res)
  }
