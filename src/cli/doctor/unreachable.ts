/** Why a server could not be asked, for users, and what to do where that is known. */
export interface Unreachable {
  readonly reason: string
  readonly advice?: string
}

const trust =
  "Give the server a certificate of an authority that this machine trusts. With one of your own, set NODE_EXTRA_CA_CERTS to its authority's file for this command, and for an ingest that calls an app back there. In development nothing has to be done: the app takes its callbacks over a stream, and hands them to its route handler itself."

const byCode: Readonly<Record<string, Unreachable>> = {
  ECONNREFUSED: { reason: "nothing listens there" },
  ENOTFOUND: { reason: "there is no host of that name", advice: "Look at the spelling of the host, and at its DNS." },
  EAI_AGAIN: { reason: "the host's name cannot be looked up now", advice: "Look at this machine's network and DNS." },
  EHOSTUNREACH: {
    reason: "there is no route to it from this machine",
    advice: "Look at the network and at firewalls.",
  },
  ENETUNREACH: { reason: "there is no route to it from this machine", advice: "Look at the network and at firewalls." },
  ETIMEDOUT: { reason: "nothing answers there", advice: "Look at firewalls between here and there." },
  UND_ERR_CONNECT_TIMEOUT: { reason: "nothing answers there", advice: "Look at firewalls between here and there." },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    reason: "its certificate is self-signed",
    advice: trust,
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    reason: "its certificate comes from an authority that this machine does not trust",
    advice: trust,
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    reason: "its certificate comes from an authority that this machine does not trust",
    advice: trust,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    reason:
      "its certificate is of an authority that this machine does not trust, or comes without the intermediate ones that lead to one it does",
    advice: `${trust} With one of a public authority, let the server send its whole chain (often called fullchain).`,
  },
  CERT_HAS_EXPIRED: { reason: "its certificate has expired", advice: "Renew the server's certificate." },
  CERT_NOT_YET_VALID: {
    reason: "its certificate is not valid yet",
    advice: "Compare the clocks of this machine and of the one that issued the certificate.",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: "its certificate is for another host",
    advice: "Use a host that the certificate names, or give the server a certificate that names this one.",
  },
}

const plain: Unreachable = {
  reason: "it does not speak TLS there",
  advice: "Write http:// instead of https://, or the port on which the server speaks TLS.",
}

const closed = (isTls: boolean): Unreachable => ({
  reason: "the connection was closed without an answer",
  advice: isTls
    ? "Look at the log of the server or of the proxy in front of it."
    : "A server that speaks TLS does so: try https://. Else look at the log of the server or of the proxy in front of it.",
})

/** The variable with the proxy that Node sends requests to this URL through, if it does. Source: nodejs.org/api/http.html. */
const findProxyVariable = (url: string): string | undefined => {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = "" } = process.env
  const isUsed =
    NODE_USE_ENV_PROXY === "1" || [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].includes("--use-env-proxy")
  const name = url.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY"
  return isUsed ? [name.toLowerCase(), name].find((each) => process.env[each]) : undefined
}

/** Explains an error of `fetch` to this URL. */
export const explainUnreachable = (url: string, error: Error): Unreachable => {
  const found = explain(url, error)
  const variable = findProxyVariable(url)
  if (variable === undefined) return found
  return {
    reason: `${found.reason}, unless that is the proxy of ${variable}, through which Node sends this request`,
    advice: `Set NO_PROXY to the hosts that are reached without it (NO_PROXY=localhost,127.0.0.1), or look at the proxy.${found.advice === undefined ? "" : ` ${found.advice}`}`,
  }
}

const explain = (url: string, error: Error): Unreachable => {
  const { code = "", message = "" } = (error.cause ?? {}) as { code?: string; message?: string }
  const known = byCode[code]
  if (known !== undefined) return known
  const isTls = url.startsWith("https:")
  if (/wrong version number|packet length too long|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/i.test(`${code} ${message}`)) {
    return plain
  }
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE") return closed(isTls)
  if (message === "bad port") {
    return {
      reason: "programs refuse to use this port",
      advice: "Let the server listen on another port, such as 3000.",
    }
  }
  return { reason: (message || code || error.message).replace(/[\s.]+$/, "") }
}
