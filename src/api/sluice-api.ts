import type {
  ClaimedFiles,
  ClaimFilesRequest,
  DeletedFiles,
  DeletedSelection,
  DeleteFilesRequest,
  Deletion,
  FileAccessRequest,
  FilePage,
  FileSelection,
  ListedFile,
  ListFilesRequest,
  MovedFiles,
  MoveFilesRequest,
  RejectedFiles,
  ReleasedFiles,
  RenamedFiles,
  RenameFilesRequest,
  UpdateAclRequest,
  UpdatedAcls,
  UpdatedFiles,
  UpdateFilesRequest,
  UsageInfo,
} from "../protocol/rest-messages.ts"
import { type DurationInput, parseDuration } from "../protocol/duration.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { Acl } from "../protocol/signing/signed-url.ts"
import { type ApiSettings, loadApiSettings, type SluiceApiOptions } from "./api-settings.ts"
import { callIngest, type CallOptions } from "./call-ingest.ts"
import { checkOptions, checkOwned, checkRecord, refuseUndefined } from "./check-options.ts"
import { guardMethods, toRefusal } from "./guard-methods.ts"
import { toClaims } from "./to-claims.ts"
import type { ClaimedKeys, ClaimOptions, FileMove, RejectOptions, UpdateOptions } from "./file-options.ts"
import {
  callOptions,
  claimOptions,
  describeOptions,
  keyOptions,
  listOptions,
  prefixUrlOptions,
  readUrlOptions,
  signOptions,
  rejectOptions,
  ownerOptions,
  updateOptions,
  uploadOptions,
} from "./known-options.ts"
import { type DescribedFile, describeFile, type DescribeOptions, toPlausibleKeys } from "./describe-files.ts"
import { checkSelection, isSelection } from "./file-selection.ts"
import { createFileListing, type FileListing, type ListFilesOptions } from "./file-listing.ts"
import {
  checkKey,
  collectKeys,
  type FileRename,
  type KeyOptions,
  ofOwner,
  type OwnerOptions,
  readKeyType,
  sumCalls,
  toKeys,
  toList,
  toReference,
} from "./file-reference.ts"
import type { FileUploadResult } from "./file-upload-result.ts"
import type { FromUrlOptions, RemoteFile } from "./from-url/from-url-options.ts"
import { operations } from "./operations.ts"
import { createPrefixUrl, type PrefixUrlOptions } from "./prefix-url.ts"
import { createReadUrl, readDownload, readExpiresIn, readHeld, type ReadUrlOptions } from "./read-url.ts"
import { refusePages } from "./refuse-pages.ts"
import type { ServerUploadOptions } from "./server-upload-options.ts"
import { openInput, sizeOf, type UploadInput } from "./upload-input.ts"
import { uploadSources } from "./upload-sources.ts"

refusePages()

/** Whole seconds, rounded up. Fails: throws BAD_REQUEST, as whatever is wrong about a file. */
const toSeconds = (duration: DurationInput | null): number | null => {
  if (duration === null) return null
  const parsed = parseDuration(duration)
  if (parsed.ok) return Math.ceil(parsed.value / 1000)
  throw new UploadError({ code: "BAD_REQUEST", message: `expiresIn: ${parsed.detail}` })
}

/** Strings and bytes are iterable, too, but neither stands for several files. */
const isIterable = (given: UploadInput | Iterable<UploadInput>): given is Iterable<UploadInput> =>
  typeof given === "object" && given !== null && Symbol.iterator in given && !ArrayBuffer.isView(given)

/**
 * What the app's server can do with its files: upload them, list, rename and delete them, and sign URLs to read them.
 *
 * The configuration is read once, at the first call, when the environment is complete.
 *
 * Fails: every method rejects with an UploadError: MISSING_TOKEN, INVALID_TOKEN, INVALID_CONFIG where the configuration
 *        is wrong; NETWORK_ERROR, ABORTED, or the code and detail of the ingest's problem document.
 */
export class SluiceApi {
  readonly #options: SluiceApiOptions
  #settings: Promise<ApiSettings> | undefined

  constructor(options: SluiceApiOptions = {}) {
    this.#options = options
  }

  #load(): Promise<ApiSettings> {
    return (this.#settings ??= loadApiSettings(this.#options).catch((error: unknown) => {
      // The environment may be complete the next time.
      this.#settings = undefined
      throw error
    }))
  }

  /**
   * Uploads a file, or several. No route's middleware or `onUploadComplete` runs, because the app itself uploads.
   *
   * The failure of a file is its `error`, and does not affect the others; results are in the order of the files.
   */
  uploadFiles(file: UploadInput, options?: ServerUploadOptions): Promise<FileUploadResult>
  uploadFiles(files: Iterable<UploadInput>, options?: ServerUploadOptions): Promise<Array<FileUploadResult>>
  uploadFiles(
    given: UploadInput | Iterable<UploadInput>,
    options?: ServerUploadOptions,
  ): Promise<FileUploadResult | Array<FileUploadResult>>
  async uploadFiles(
    given: UploadInput | Iterable<UploadInput>,
    options?: ServerUploadOptions,
  ): Promise<FileUploadResult | Array<FileUploadResult>> {
    checkOptions("The options of uploadFiles", options, uploadOptions)
    const isSeveral = isIterable(given)
    const inputs = isSeveral ? [...given] : [given]
    const results = await uploadSources(
      await this.#load(),
      inputs.map((input) => () => openInput(input)),
      options,
      inputs.map(sizeOf),
    )
    return isSeveral ? results : results[0]!
  }

  /**
   * Fetches files from other servers and uploads them, each streamed from one to the other. The URLs may come from
   * users: hosts without a public address are refused unless the options say otherwise.
   *
   * The failure of a file is its `error`, and does not affect the others; results are in the order of the URLs.
   */
  uploadFilesFromUrl(url: string | URL | RemoteFile, options?: FromUrlOptions): Promise<FileUploadResult>
  uploadFilesFromUrl(
    urls: Iterable<string | URL | RemoteFile>,
    options?: FromUrlOptions,
  ): Promise<Array<FileUploadResult>>
  async uploadFilesFromUrl(
    given: string | URL | RemoteFile | Iterable<string | URL | RemoteFile>,
    options?: FromUrlOptions,
  ): Promise<FileUploadResult | Array<FileUploadResult>> {
    const isSeveral = typeof given === "object" && Symbol.iterator in given
    // Loaded only where it is used.
    const { openRemoteFiles } = await import("./from-url/open-remote-files.ts")
    const sources = openRemoteFiles(isSeveral ? [...given] : [given], options)
    const results = await uploadSources(await this.#load(), sources, options)
    return isSeveral ? results : results[0]!
  }

  /** Lists the app's files, newest first: `await` for a page, `for await` for all files, `.pages()` for all pages. */
  listFiles(options: ListFilesOptions = {}): FileListing {
    const fail = (error: unknown) => Promise.reject(toRefusal("listFiles", error))
    const ask = async (request: ListFilesRequest): Promise<FilePage> => {
      checkOptions("The options of listFiles", options, listOptions)
      refuseUndefined("The options of listFiles", options, ["owner", "prefix"])
      return callIngest(await this.#load(), operations.listFiles, request, options)
    }
    try {
      return createFileListing((request) => ask(request).catch(fail), options)
    } catch (error) {
      // Whoever waits for it hears of it, as of every other mistake.
      return createFileListing(() => fail(error), {})
    }
  }

  /**
   * What the ingest knows of files, in any state, in the order of the keys; those that do not exist are left out. For more than
   * 1,000 files, see {@link deleteFiles}.
   */
  async getFiles(keys: string | ReadonlyArray<string>, options: OwnerOptions = {}): Promise<ReadonlyArray<ListedFile>> {
    checkOwned("getFiles", options, ownerOptions)
    const settings = await this.#load()
    const files: Array<ListedFile> = []
    await sumCalls(toKeys("getFiles", keys), async (fileKeys) => {
      const answer = await callIngest(settings, operations.getFiles, { fileKeys, ...ofOwner(options) }, options)
      files.push(...answer.files)
      return answer.files.length
    })
    return files
  }

  /**
   * Describes files as upload components list them, in the order of the keys: `initialFiles` of a row that is edited, or of a
   * form that comes back with a mistake. What is not there (any more) is left out, and so is what is no key at all. A picture
   * has a `previewUrl`.
   */
  async describeFiles(
    keys: string | ReadonlyArray<string>,
    options: DescribeOptions = {},
  ): Promise<ReadonlyArray<DescribedFile>> {
    checkOwned("describeFiles", options, describeOptions)
    readExpiresIn(options)
    const { expiresIn, ...ofCall } = options
    const settings = await this.#load()
    const files = await this.getFiles(toPlausibleKeys(settings, keys), ofCall)
    const described = await Promise.all(files.map((file) => describeFile(settings, file, expiresIn)))
    return described.filter((file) => file !== undefined)
  }

  /**
   * Deletes files, whatever their state; files that do not exist are ignored: `deletedKeys` names those that did. A
   * custom id means all files that have it. More than 1,000 files take several calls: if one fails, those before it have been made.
   */
  deleteFiles(keys: string | ReadonlyArray<string>, options?: KeyOptions): Promise<DeletedFiles>
  /**
   * Deletes all files of an owner, all whose path begins with a prefix, or what is both, however many. When it resolves nobody
   * can read any of them any more; where `isDone` is false, the ingest is still removing them.
   */
  deleteFiles(selection: FileSelection, options?: CallOptions): Promise<DeletedSelection>
  async deleteFiles(
    keys: string | ReadonlyArray<string> | FileSelection,
    options: KeyOptions = {},
  ): Promise<DeletedFiles | DeletedSelection> {
    if (isSelection(keys)) checkOptions("The options of deleteFiles", options, callOptions)
    else checkOwned("deleteFiles", options, keyOptions)
    const settings = await this.#load()
    if (isSelection(keys)) {
      return callIngest(settings, operations.deleteSelection, checkSelection(keys), options)
    }
    const isByKey = readKeyType(options, settings.defaultKeyType) === "fileKey"
    const deletedKeys: Array<string> = []
    let knowsKeys = true
    const deletedCount = await sumCalls(toKeys("deleteFiles", keys), async (some) => {
      const request: DeleteFilesRequest = {
        ...(isByKey ? { fileKeys: some } : { customIds: some }),
        ...ofOwner(options),
      }
      const answer = await callIngest(settings, operations.deleteFiles, request, options)
      if (answer.deletedKeys === undefined) knowsKeys = false
      else for (const key of answer.deletedKeys) deletedKeys.push(key)
      return answer.deletedCount
    })
    return { success: true, deletedCount, ...(knowsKeys && { deletedKeys }) }
  }

  /** Deletions by owner or prefix: those that are not done, and those of the last 7 days, newest first. */
  async listDeletions(options: CallOptions = {}): Promise<ReadonlyArray<Deletion>> {
    checkOptions("The options of listDeletions", options, callOptions)
    return (await callIngest(await this.#load(), operations.listDeletions, {}, options)).deletions
  }

  /** Renames files that are stored. For custom ids, and more than 1,000 files, see {@link deleteFiles}. */
  async renameFiles(
    renames: FileRename | ReadonlyArray<FileRename>,
    options: OwnerOptions = {},
  ): Promise<RenamedFiles> {
    checkOwned("renameFiles", options, ownerOptions)
    for (const rename of toList(renames)) {
      checkRecord("A file of renameFiles", rename)
      if ("key" in rename) checkOptions("A file of renameFiles", rename, ["key", "newName"])
    }
    const settings = await this.#load()
    const updates = toList(renames).map((rename) =>
      "key" in rename ? { ...toReference(rename.key, settings.defaultKeyType), newName: rename.newName } : rename,
    )
    const renamedCount = await sumCalls(updates, async (some) => {
      const request: RenameFilesRequest = { updates: some, ...ofOwner(options) }
      return (await callIngest(settings, operations.renameFiles, request, options)).renamedCount
    })
    return { success: true, renamedCount }
  }

  /** Sets who may read files that are stored. For custom ids, and more than 1,000 files, see {@link deleteFiles}. */
  async updateACL(keys: string | ReadonlyArray<string>, acl: Acl, options: KeyOptions = {}): Promise<UpdatedAcls> {
    checkOwned("updateACL", options, keyOptions)
    const settings = await this.#load()
    const keyType = readKeyType(options, settings.defaultKeyType)
    const updatedCount = await sumCalls(toKeys("updateACL", keys), async (some) => {
      const updates = some.map((key) => ({ ...toReference(key, keyType), acl }))
      const request: UpdateAclRequest = { updates, ...ofOwner(options) }
      return (await callIngest(settings, operations.updateACL, request, options)).updatedCount
    })
    return { success: true, updatedCount }
  }

  /** Sets where files are filed. No bytes are moved. For more than 1,000 files, see {@link deleteFiles}. */
  async moveFiles(moves: FileMove | ReadonlyArray<FileMove>, options: KeyOptions = {}): Promise<MovedFiles> {
    checkOwned("moveFiles", options, keyOptions)
    for (const move of toList(moves)) {
      checkRecord("A file of moveFiles", move)
      checkOptions("A file of moveFiles", move, ["key", "path"])
    }
    const settings = await this.#load()
    const keyType = readKeyType(options, settings.defaultKeyType)
    const movedCount = await sumCalls(toList(moves), async (some) => {
      const request: MoveFilesRequest = {
        updates: some.map(({ key, path }) => ({ ...toReference(key, keyType), path })),
        ...ofOwner(options),
      }
      return (await callIngest(settings, operations.moveFiles, request, options)).movedCount
    })
    return { success: true, movedCount }
  }

  /** Sets how long files are kept. For custom ids, and more than 1,000 files, see {@link deleteFiles}. */
  async updateFiles(keys: string | ReadonlyArray<string>, options: UpdateOptions): Promise<UpdatedFiles> {
    checkOwned("updateFiles", options, updateOptions)
    const settings = await this.#load()
    const keyType = readKeyType(options, settings.defaultKeyType)
    const expiresIn = toSeconds(options.expiresIn)
    const updatedCount = await sumCalls(toKeys("updateFiles", keys), async (some) => {
      const request: UpdateFilesRequest = {
        updates: some.map((key) => ({ ...toReference(key, keyType), expiresIn })),
        ...ofOwner(options),
      }
      return (await callIngest(settings, operations.updateFiles, request, options)).updatedCount
    })
    return { success: true, updatedCount }
  }

  /**
   * Claims files of a route with the option `claim`, which would be deleted otherwise: all of them or none. Files that
   * are still being uploaded can be claimed, and claiming twice is no error. At most 1,000 files.
   *
   * @param keys those of a form with several fields by the file route of each, so that none is accepted in the place of another:
   *             `{ photos: [key, key], report: key }`
   *
   * Fails: with NOT_FOUND where a file is not there (any more); `data.missing` of the error has the keys of all that are not.
   */
  async claimFiles(keys: ClaimedKeys, options: ClaimOptions = {}): Promise<ClaimedFiles> {
    checkOptions("The options of claimFiles", options, claimOptions)
    refuseUndefined("The options of claimFiles", options, ["owner", "slug"])
    const { owner, slug } = options
    const named = toClaims(keys, slug)
    const settings = await this.#load()
    const replaces = options.replaces === undefined ? [] : toKeys("claimFiles, replaces", options.replaces)
    const isNone = (named.fileKeys ?? named.claims)?.length === 0
    if (isNone && replaces.length === 0) return { success: true, claimedCount: 0, replacedCount: 0 }
    const request: ClaimFilesRequest = {
      ...named,
      ...(replaces.length > 0 && { replaces }),
      ...(owner !== undefined && { owner }),
      ...(slug !== undefined && { slug }),
    }
    return callIngest(settings, operations.claimFiles, request, options)
  }

  /**
   * Releases files of a route with the option `hold`: they can be read from now on, and `onUploadComplete` runs. Files that
   * are not held are ignored: `releasedKeys` names those that were. For more than 1,000 files, see {@link deleteFiles}.
   */
  async releaseFiles(keys: string | ReadonlyArray<string>, options: CallOptions = {}): Promise<ReleasedFiles> {
    checkOptions("The options of releaseFiles", options, callOptions)
    const settings = await this.#load()
    const releasedKeys = await collectKeys(
      toKeys("releaseFiles", keys),
      async (fileKeys) => (await callIngest(settings, operations.releaseFiles, { fileKeys }, options)).releasedKeys,
    )
    return { success: true, releasedCount: releasedKeys.length, releasedKeys }
  }

  /**
   * Rejects files of a route with the option `hold`: their bytes are removed, and `onUploadError` runs with the code
   * REJECTED. Files that are not held are ignored: `rejectedKeys` names those that were. For more than 1,000 files, see
   * {@link deleteFiles}.
   */
  async rejectFiles(keys: string | ReadonlyArray<string>, options: RejectOptions = {}): Promise<RejectedFiles> {
    checkOptions("The options of rejectFiles", options, rejectOptions)
    const settings = await this.#load()
    const { reason } = options
    const rejectedKeys = await collectKeys(toKeys("rejectFiles", keys), async (fileKeys) => {
      const request = { fileKeys, ...(reason !== undefined && { reason }) }
      return (await callIngest(settings, operations.rejectFiles, request, options)).rejectedKeys
    })
    return { success: true, rejectedCount: rejectedKeys.length, rejectedKeys }
  }

  /** How much the app stores, or one owner of files, and how much the app may store. */
  async getUsageInfo(options: OwnerOptions = {}): Promise<UsageInfo> {
    checkOwned("getUsageInfo", options, ownerOptions)
    return callIngest(await this.#load(), operations.getUsageInfo, ofOwner(options), options)
  }

  /**
   * Asks the ingest for a URL that reads a file, also a private one. A custom id means the newest file that has it.
   * Fails: with NOT_FOUND where there is no such file.
   */
  async getSignedURL(key: string, options: ReadUrlOptions = {}): Promise<string> {
    checkOwned("getSignedURL", options, readUrlOptions)
    checkKey("getSignedURL", key)
    const settings = await this.#load()
    const expiresIn = readExpiresIn(options)
    const download = readDownload(options)
    const keyType = readKeyType(options, settings.defaultKeyType)
    const held = readHeld(options, keyType)
    const request: FileAccessRequest = {
      ...toReference(key, keyType),
      ...(expiresIn !== undefined && { expiresIn }),
      ...(download !== undefined && { download }),
      ...(held !== undefined && { held }),
      ...ofOwner(options),
    }
    return (await callIngest(settings, operations.requestFileAccess, request, options)).url
  }

  /** Signs such a URL without a request. Whether the file exists shows only when it is read. */
  async generateSignedURL(key: string, options: Omit<ReadUrlOptions, "signal" | "owner"> = {}): Promise<string> {
    // Without a request nobody says whose file it is.
    checkOptions("The options of generateSignedURL", options, signOptions)
    checkKey("generateSignedURL", key)
    return createReadUrl(await this.#load(), key, options)
  }

  /**
   * Makes a URL that reads every file below a folder of paths, `videos/42/`, without a request: append what follows the
   * prefix in a file's path, percent-encoded. It reads `Uploaded` files, whatever their ACL says, and of two that have the
   * same path the newer one. No browser can read the prefix or the owner in it.
   *
   * Fails: with BAD_REQUEST where the prefix is no folder: without `/` at its end it would open its neighbours as well.
   */
  async generateSignedPrefixURL(prefix: string, options: PrefixUrlOptions = {}): Promise<string> {
    checkOwned("generateSignedPrefixURL", options, prefixUrlOptions)
    return createPrefixUrl(await this.#load(), prefix, options)
  }
}

guardMethods(SluiceApi.prototype)
