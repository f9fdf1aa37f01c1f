/** What `createUploadPage` makes; put in where a program is bundled with `texts`. */
declare const uploadPage: string
