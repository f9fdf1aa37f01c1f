/** What the route takes, as a server would have rendered it into the page; and how the bench looks at the list. */
export const routes = [
  { slug: "files", config: { blob: { maxFileSize: "1GB", maxFileCount: 10_000, minFileCount: 1 } } },
]

window.bench = {
  input: "[data-sluice=container] input[type=file]",
  count: () => document.querySelectorAll("[data-sluice=file]").length,
  rows: () => document.querySelectorAll("[data-sluice=file]"),
  hasPicture: (row) => row.querySelector("img")?.naturalWidth > 0,
}
