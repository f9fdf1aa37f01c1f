import { createApp, defineComponent, h, ref } from "vue"
import { generateUploadDropzone } from "../../../bindings/vue.ts"
import type { router } from "./router.ts"

const UploadDropzone = generateUploadDropzone<typeof router>()

createApp(
  defineComponent(() => {
    const keys = ref(["stored-1"])
    const told = ref(0)
    return () => [
      // As templates compile `v-model="keys"`.
      h(UploadDropzone<"photos">, {
        endpoint: "photos",
        name: "photos",
        modelValue: keys.value,
        "onUpdate:modelValue": (next) => {
          keys.value = next
        },
        initialFiles: [{ key: "stored-1", name: "one.png" }],
        config: { mode: "auto" },
        onValueChange: () => told.value++,
      }),
      h("button", { onClick: () => (keys.value = []) }, "Empty"),
      h("output", `${keys.value.length} keys, told ${told.value} times`),
    ]
  }),
).mount("#root")
