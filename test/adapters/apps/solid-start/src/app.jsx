import { Router } from "@solidjs/router"
import { FileRoutes } from "@solidjs/start/router"

const App = () => (
  <Router>
    <FileRoutes />
  </Router>
)

export default App
