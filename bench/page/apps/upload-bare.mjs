import { generateUploader } from "sluice/client"

const { uploadFiles } = generateUploader()
const input = Object.assign(document.createElement("input"), { type: "file", multiple: true })
input.addEventListener("change", async () => {
  const outcomes = await uploadFiles("anything", { files: input.files })
  window.tell(outcomes.filter(({ status }) => status === "done").length)
})
document.getElementById("root").append(input)
