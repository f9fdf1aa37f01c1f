import type { Page } from "playwright-core"

/** Lets a page send so many bytes per second. @returns ends it */
export const slowUploads = async (page: Page, bytesPerSecond: number): Promise<() => Promise<void>> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
  return () => session.detach()
}
