declare namespace App {
  interface Locals {
    /** Who asks; of the page also who will be known by the cookie. */
    guest: string
  }
}
