import { createApp, nextTick, ref } from "vue"
import { generateUploadDropzone, generateUseUploader, type UploadError } from "../../../bindings/vue.ts"
import type { router } from "./router.ts"

const UploadDropzone = generateUploadDropzone<typeof router>()
const useUploader = generateUseUploader<typeof router>()

const endpoint = ref("photos")
const isShown = ref(true)

const Headless = {
  setup: () => useUploader("avatar"),
  template: `<div id="own" v-bind="parts.target"><input v-bind="parts.input" /><button v-bind="parts.pick">{{ status }}</button></div>`,
}

createApp({
  components: { UploadDropzone, Headless },
  setup: () => ({
    endpoint,
    isShown,
    told: (name: string, detail: unknown) => window.told.push({ name, detail }),
    names: (files: Array<File>) => files.map(({ name }) => name),
    code: (error: UploadError) => error.code,
    more: { onChange: () => window.told.push({ name: "change again", detail: null }) },
    cn: (...classes: Array<string>) => classes.join("+"),
  }),
  template: `
    <UploadDropzone
      v-if="isShown"
      id="photos"
      :endpoint="endpoint"
      :class="['mine', { wide: true }]"
      style="color: rgb(1, 2, 3)"
      data-test="passed on"
      :config="{ cn, mode: 'auto' }"
      :appearance="{ container: 'roomy' }"
      v-bind="more"
      @client-upload-complete="(results) => told('complete', results.map(({ name }) => name))"
      :on-upload-error="(error) => told('error', code(error))"
      @change="(files) => told('change', names(files))"
    >
      <template #allowed-content="{ state }">{{ Object.keys(state.routeConfig ?? {}).join() }}</template>
      <template #fileName="{ item }"><b>{{ item.name }}</b> {{ item.status }}</template>
    </UploadDropzone>
    <UploadDropzone endpoint="photos" disabled id="off" />
    <Headless />
  `,
}).mount("#root")

window.told = []
Object.assign(window, { endpoint, isShown, nextTick })
