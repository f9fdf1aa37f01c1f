import { cookies } from "next/headers"
import { extractRouteConfig } from "sluice/next"
import { findUploads } from "../../showcase/kept-uploads.ts"
import { nameGuest, session } from "../../showcase/session.ts"
import { logo, texts } from "../../showcase/texts.ts"
import { router } from "./api/sluice/router.ts"
import { Cards } from "./cards.tsx"

export default async function Page() {
  const guest = (await cookies()).get(session.cookie)?.value ?? ""
  return (
    <>
      <header className="masthead">
        <img src={logo} alt="" />
        <div>
          <h1>{texts.title("Next.js")}</h1>
          <p>{texts.intro}</p>
        </div>
        <p className="guest">{texts.guest(nameGuest(guest))}</p>
      </header>
      <Cards kept={await findUploads(guest)} routes={extractRouteConfig(router)} />
    </>
  )
}
