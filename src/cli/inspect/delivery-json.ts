import type { UploadWithDelivery } from "../../ingest.ts"

/** An event as `--json` prints it. Times in ms since the epoch. Source: docs/cli.md. */
export const toDeliveryJson = ({ file, delivery, registration }: UploadWithDelivery) => ({
  id: delivery.id,
  hook: delivery.hook,
  status: delivery.status,
  attempts: delivery.attempts,
  nextAt: delivery.status === "pending" ? delivery.nextAt : null,
  isDev: registration?.isDev ?? false,
  callbackUrl: registration?.callbackUrl ?? null,
  callbackSlug: registration?.callbackSlug ?? null,
  fileKey: file.key,
  fileName: file.name,
})
