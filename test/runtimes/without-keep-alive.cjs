// Wine cannot ask for it, and Node then takes the whole connection for failed. Windows can.
const { Socket } = require("node:net")
Socket.prototype.setKeepAlive = function () {
  return this
}
