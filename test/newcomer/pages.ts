/** A page of React or Solid, by the name of its component. */
export const toJsxPage =
  (name: string) =>
  (imports: string, components: string): string => `${imports}
export default function ${name}() {
  return (
    <main>
      ${components}
    </main>
  )
}
`

/** A page of Vue. */
export const toVuePage = (imports: string, components: string): string => `<script setup lang="ts">
${imports}</script>

<template>
  <main>
    ${components}
  </main>
</template>
`

/** A page of Svelte. */
export const toSveltePage = (imports: string, components: string): string => `<script lang="ts">
${imports}</script>

<main>
  ${components}
</main>
`

/** A page that no bundler makes. */
export const toDocument = (body: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <title>Newcomer</title>
  </head>
  <body>
${body}
  </body>
</html>
`
