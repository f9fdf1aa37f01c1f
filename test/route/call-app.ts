import { expect } from "vitest"
import {
  createSigner,
  type PresignedUpload,
  type ProblemCode,
  type UploadGrant,
  verifyUploadUrl,
} from "../../src/protocol.ts"
import { createRouteHandler, type FileRouter } from "../../src/server.ts"
import { apiKey, ingestUrl, token } from "./app-token.ts"

export type Handle = (request: Request) => Promise<Response>

export const appUrl = "http://app.test/api/sluice"

type Options = Parameters<typeof createRouteHandler>[0]

/** A handler that logs all there is to log, so that every test is one of what may not be logged. */
export const handlerOf = (router: FileRouter, options: Partial<Options> = {}): Handle =>
  createRouteHandler({ router, token, logLevel: "All", isDev: false, allowedHosts: "app.test", ...options })

export const toRequest = (query: string, body: BodyInit | null, init: RequestInit = {}): Request =>
  new Request(`${appUrl}${query}`, { method: "POST", body, headers: { "content-type": "application/json" }, ...init })

export const uploadRequest = (slug: string, body: unknown, init: RequestInit = {}): Request =>
  toRequest(`?actionType=upload&slug=${encodeURIComponent(slug)}`, JSON.stringify(body), init)

export const renewRequest = (slug: string, body: unknown): Request =>
  toRequest(`?actionType=renew&slug=${encodeURIComponent(slug)}`, JSON.stringify(body))

export const png = { name: "cat.png", size: 1024, type: "image/png" }

/** The answer to an upload or renew that must have gone well. */
export const presigned = async (response: Response): Promise<ReadonlyArray<PresignedUpload>> => {
  const text = await response.text()
  expect({ status: response.status, text: response.ok || text }).toEqual({ status: 200, text: true })
  return JSON.parse(text)
}

/** What a URL grants, proven with the app's key. */
export const grantOf = async (url: string, now = Date.now()): Promise<UploadGrant> => {
  const verified = await verifyUploadUrl(url, createSigner(apiKey), { now })
  if (!verified.ok) throw new Error(`${verified.code}: ${verified.detail}`)
  expect(url.startsWith(`${ingestUrl}/${verified.value.key}?`)).toBe(true)
  return verified.value
}

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly data?: unknown
}

/** The problem document of a refusal, its form checked (docs/protocol.md §11). */
export const problemOf = async (response: Response): Promise<Problem> => {
  expect(response.headers.get("content-type")).toBe("application/problem+json")
  expect(response.headers.get("cache-control")).toBe("no-store")
  const problem = (await response.json()) as Problem
  expect(problem.status).toBe(response.status)
  expect(problem.type).toBe(`urn:sluice:error:${problem.code.toLowerCase().replaceAll("_", "-")}`)
  expect(problem.title).toEqual(expect.stringMatching(/\w/))
  expect(problem.detail).toEqual(expect.stringMatching(/\w.*\w/))
  return problem
}

/** Expects a refusal by code and status; its problem document. */
export const refused = async (response: Response, code: ProblemCode, status: number): Promise<Problem> => {
  const problem = await problemOf(response)
  expect({ code: problem.code, status: problem.status }).toEqual({ code, status })
  return problem
}
