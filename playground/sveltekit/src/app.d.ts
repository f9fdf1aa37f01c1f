declare global {
  namespace App {
    interface Locals {
      guest: string
    }
  }
}

export {}
