/** Files of one request: of an action, of a registration. Apart, so that a page does not load the other limits for it. */
export const filesPerRequest = 1000

/** Length of a problem's `detail`; a longer one is cut, where it is sent and where it is read. Apart for the same reason. */
export const problemDetail = 4096

/**
 * The limits that every party keeps. Bytes and ms unless stated otherwise.
 *
 * Source: docs/protocol.md §4–§10.
 */
export const limits = {
  /** Files in one upload request. */
  filesPerRequest,
  /** Parts of a direct upload that are asked for at once. */
  directParts: 100,
  /** Body of such a question. */
  directQuestion: 16 * 1024,
  /** Files in one request of the REST API. */
  filesPerCall: 1000,
  /** Characters of the reason for a rejection. */
  rejectionReason: 500,
  /** Files on one page of a listing. */
  filesPerPage: 1000,
  /** Seconds that a signed URL for reading may be valid. */
  readUrlTtl: 7 * 24 * 60 * 60,
  /** Body of a request to the route handler. */
  requestBody: 1024 * 1024,
  /** How long that body may take to arrive. */
  requestBodyTimeout: 60 * 1000,
  /** Nesting of arrays and objects in the body of a client, so that whatever user code makes of it can still be forwarded. */
  requestDepth: 100,
  /** The same between app and ingest. */
  messageDepth: 500,
  /** Values in such a body, arrays and objects included: a thousand files with all that is told of each are about 10,000. */
  requestValues: 20_000,
  /** The same between app and ingest, where metadata may have many. */
  messageValues: 50_000,
  /** Registration metadata as JSON. */
  metadata: 64 * 1024,
  /** Body of a request of the REST API: a thousand files with new names. */
  restBody: 4 * 1024 * 1024,
  /** Body of a registration: a thousand keys and the metadata. */
  registrationBody: 1024 * 1024,
  /** UTF-8 length of a file name. */
  fileName: 1024,
  /** UTF-8 length of a file's path. */
  filePath: 4096,
  /** Folders of a path and its file. */
  pathSegments: 64,
  /** UTF-8 length of the path that an app gives a stored file. */
  storedPath: 1024,
  /** The longest time that a file may be kept or wait for: a century, which can be added to any date. */
  longestLife: 100 * 366 * 24 * 60 * 60 * 1000,
  /** Deletions of many files that an app may have under way. */
  openDeletions: 100,
  /** UTF-8 length of a file's owner. */
  owner: 256,
  /** UTF-8 length of a custom id. */
  customId: 512,
  /** Length of a file key. */
  fileKey: 512,
  /** UTF-8 length of a file route's slug. */
  slug: 256,
  /** UTF-8 length of a signed media type. */
  mediaType: 256,
  /** Length of a callback URL. */
  callbackUrl: 2048,
  /** Length of the reason for which an app's callback failed; a longer one is cut. */
  callbackError: 4096,
  /** `onUploadComplete`'s return value as JSON. */
  callbackData: 1024 * 1024,
  /** A result in the answer to a callback; a larger one is posted. */
  callbackAnswer: 64 * 1024,
  /** One line of the development stream. */
  jsonLine: 1024 * 1024,
  /** How long a signed upload URL is valid by default. */
  presignedUrlTtl: 60 * 60 * 1000,
  /** How old a callback may be before the app refuses it. */
  callbackTolerance: 5 * 60 * 1000,
  /** Length of an upload URL with a seal: some servers on the way take no longer ones. */
  sealedUrl: 2048,
  /** Length of all seals of an answer together, each as often as it stands in a URL. */
  sealsPerAnswer: 64 * 1024,
  /** How long past its expiry a URL can still be renewed. */
  renewWindow: 24 * 60 * 60 * 1000,
  /** Size of the largest possible file, 16 TiB: many of them together are still counted exactly. */
  fileSize: 2 ** 44,
  /** The smallest piece that clients cut files into; `src/transfer/cut-bodies.ts`, which imports nothing, has it as well. */
  smallestPiece: 64 * 1024,
  /** How long after its first URL was signed an upload can be sent, however often it is renewed. */
  uploadLifetime: 7 * 24 * 60 * 60 * 1000,
  /** Silence after which the development stream sends an empty line. */
  heartbeat: 15 * 1000,
} as const
