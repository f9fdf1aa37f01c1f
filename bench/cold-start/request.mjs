/** Asks a handler for the upload of one file and ends the process; with an error where the answer is wrong. */
export const answer = async (handle, url = "https://app.example.com/api/sluice?actionType=upload&slug=photos") => {
  const response = await handle(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-uploadthing-version": "7.7.4" },
      body: JSON.stringify({ files: [{ name: "a.png", size: 1000, type: "image/png", lastModified: 1 }] }),
    }),
  )
  const body = await response.text()
  if (response.status !== 200 || !JSON.parse(body)[0].url.includes("signature=hmac-sha256%3D")) throw new Error(body)
  process.exit(0)
}

export const fetchOk = async () => new Response('{"ok":true}', { headers: { "content-type": "application/json" } })
