import type { Metadata } from "next"
import type { ReactNode } from "react"
import "sluice/styles.css"
import "../../showcase/showcase.css"
import { logo, texts } from "../../showcase/texts.ts"

export const metadata: Metadata = { title: texts.title("Next.js"), icons: logo }

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
