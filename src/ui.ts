export type { RouteInput, TypedFileRoute, TypedFileRouter, UntypedFileRouter } from "./protocol/files/file-route.ts"
export type { RouteDescription } from "./protocol/messages.ts"
export type { RouteConfig } from "./protocol/files/route-config.ts"
export { UploadError } from "./protocol/errors/upload-error.ts"
export type { Uploader, UploaderOptions } from "./client/generate-uploader.ts"
export type { UploadProgress } from "./client/progress.ts"
export type { DoneUpload, RouteUploadError, UploadOutcome } from "./client/upload-outcome.ts"
export type { AnnouncementTexts } from "./ui/texts/announcement-texts.ts"
export { listKinds, maxFiles, toAccept } from "./ui/files/accepted-files.ts"
export type { AcceptedKind } from "./ui/files/accepted-files.ts"
export type { KindContext, ComponentKind, UploadComponent, UploadComponentProps } from "./ui/markup/component.ts"
export { createUploadComponent } from "./ui/markup/component.ts"
export { headless } from "./ui/markup/headless.ts"
export { uploadButton } from "./ui/markup/upload-button.ts"
export { uploadDropzone } from "./ui/markup/upload-dropzone.ts"
export { uploadAvatar } from "./ui/avatar/upload-avatar.ts"
export type { CropOptions, CropType } from "./ui/avatar/crop-options.ts"
export type { PictureTexts } from "./ui/avatar/picture-texts.ts"
export type { Appearance, Content, PartName, UploadLooks, UploadNames } from "./ui/markup/looks.ts"
export type { Attributes, Handlers, Markup, Part, Slot, Style } from "./ui/markup/markup.ts"
export { isSlot, toStyleText } from "./ui/markup/markup.ts"
export type { FileAction, UploadParts } from "./ui/markup/parts.ts"
export { listFileActions } from "./ui/markup/row-parts.ts"
export type { NameMistake } from "./ui/files/rename-file.ts"
export { addRouteSeed, seedRouteConfig } from "./ui/controller/route-configs.ts"
export type { RouteSeeds } from "./ui/controller/route-configs.ts"
export type { FieldProblem } from "./ui/form/required-problem.ts"
export { findRequiredProblem } from "./ui/form/required-problem.ts"
export type { DraggedItem } from "./ui/drop/judge-drag.ts"
export { listKeys } from "./ui/form/stored-files.ts"
export type {
  InitialFile,
  UploadCallbacks,
  UploadComponentOptions,
  UploadConfig,
  UploadFieldOptions,
  UploadHome,
  UploadHookOptions,
} from "./ui/controller/upload-component-options.ts"
export type { Preview, UploadController } from "./ui/controller/upload-controller.ts"
export { createUploadController } from "./ui/controller/create-upload-controller.ts"
export type { MappedParts, UploadActions, UploadHandle } from "./ui/markup/upload-handle.ts"
export { mapParts, toActions } from "./ui/markup/upload-handle.ts"
export type { UploadSetup, UploadSetupOptions } from "./ui/controller/upload-setup.ts"
export { createUploadSetup } from "./ui/controller/upload-setup.ts"
export type {
  DragVerdict,
  FileStatus,
  MissingFiles,
  RemovedFiles,
  UploadItem,
  UploadState,
  UploadStatus,
  UploadSummary,
} from "./ui/controller/upload-state.ts"
export type { PluralForms } from "./ui/texts/text-formats.ts"
export { createPlural, createSizeFormat } from "./ui/texts/text-formats.ts"
export type { UploadTexts } from "./ui/texts/upload-texts.ts"
export { createUploads } from "./ui/tray/create-uploads.ts"
export { createUploadTray } from "./ui/tray/upload-tray.ts"
export type { UploadTray } from "./ui/tray/upload-tray.ts"
export type { UploadTrayProps } from "./ui/tray/upload-tray-props.ts"
export type {
  AddFilesOptions,
  Uploads,
  UploadsCallbacks,
  UploadsOptions,
  UploadsSource,
  UploadsState,
} from "./ui/tray/uploads.ts"
