"use client"

import { useState } from "react"
import { RouteConfigSeed } from "sluice/react"
import type { RouteDescription } from "sluice/server"
import type { KeptUpload, KeptUploads } from "../../showcase/kept-uploads.ts"
import { texts } from "../../showcase/texts.ts"
import { formatSize, UploadButton, UploadDropzone } from "./uploads.ts"

/** The guest's files: those the server knew of, and before them those that came since. */
const useKept = (known: ReadonlyArray<KeptUpload>) => {
  const [kept, setKept] = useState(known)
  const add = (results: ReadonlyArray<{ readonly serverData: KeptUpload }>) =>
    setKept((before) => [...results.map(({ serverData }) => serverData).toReversed(), ...before])
  return [kept, add] as const
}

interface CardsProps {
  readonly kept: KeptUploads
  readonly routes: ReadonlyArray<RouteDescription>
}

/** The three cards of the page. */
export const Cards = ({ kept, routes }: CardsProps) => {
  const [[avatar], addAvatar] = useKept(kept.avatar)
  const [files, addFiles] = useKept(kept.files)
  const [documents, addDocuments] = useKept(kept.document)
  return (
    <RouteConfigSeed routes={routes}>
      <main className="cards">
        <section className="card avatar" aria-labelledby="avatar-title">
          <h2 id="avatar-title">{texts.avatar.title}</h2>
          <p>{texts.avatar.lead}</p>
          <div className="portrait">
            {avatar ? (
              <img src={avatar.url} alt={texts.avatar.alt} />
            ) : (
              <span className="nobody" role="img" aria-label={texts.avatar.none} />
            )}
            <UploadButton endpoint="avatar" onClientUploadComplete={addAvatar} />
          </div>
        </section>

        <section className="card files" aria-labelledby="files-title">
          <h2 id="files-title">{texts.files.title}</h2>
          <p>{texts.files.lead}</p>
          <UploadDropzone endpoint="files" config={{ mode: "auto" }} onClientUploadComplete={addFiles} />
          <h3 id="stored-title">{texts.files.stored}</h3>
          <ul className="stored" aria-labelledby="stored-title">
            {files.map(({ key, name, size, url }) => (
              <li key={key}>
                <a className="name" href={url} target="_blank">
                  {name}
                </a>
                <span className="size">{formatSize(size)}</span>
              </li>
            ))}
          </ul>
        </section>

        <section className="card document" aria-labelledby="document-title">
          <h2 id="document-title">{texts.document.title}</h2>
          <p>{texts.document.lead}</p>
          <UploadButton endpoint="document" onClientUploadComplete={addDocuments} />
          <ul className="stored" aria-labelledby="document-title">
            {documents.map(({ key, name, size, url }) => (
              <li key={key}>
                <span className="name">{name}</span>
                <span className="size">{formatSize(size)}</span>
                <span className="links">
                  <a
                    href={`/documents/${key}`}
                    target="_blank"
                    aria-label={texts.document.of(texts.document.open, name)}
                  >
                    {texts.document.open}
                  </a>
                  <a
                    className="plain"
                    href={url}
                    target="_blank"
                    aria-label={texts.document.of(texts.document.plain, name)}
                  >
                    {texts.document.plain}
                  </a>
                </span>
              </li>
            ))}
          </ul>
        </section>
      </main>
    </RouteConfigSeed>
  )
}
