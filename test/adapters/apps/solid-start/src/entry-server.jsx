import { createHandler, StartServer } from "@solidjs/start/server"

const Document = (props) => (
  <html lang="en">
    <head>{props.assets}</head>
    <body>
      <div id="app">{props.children}</div>
      {props.scripts}
    </body>
  </html>
)

export default createHandler(() => <StartServer document={Document} />)
