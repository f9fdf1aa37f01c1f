import { compile } from "svelte/compiler"
import { compileScript, compileTemplate, parse } from "vue/compiler-sfc"
import type { Block } from "./code-blocks.ts"

/** Whether a block is a component in a framework's own language. */
export const isComponent = ({ language }: Block): boolean => language === "vue" || language === "svelte"

/** What a framework's own compiler has against a component. */
export const compileComponent = ({ language, path, code }: Block): ReadonlyArray<string> => {
  if (language === "svelte") return compile(code, { filename: path }).warnings.map(({ message }) => message)
  const { descriptor, errors } = parse(code, { filename: path })
  const script = compileScript(descriptor, { id: path })
  const template = compileTemplate({
    id: path,
    filename: path,
    source: descriptor.template!.content,
    compilerOptions: { bindingMetadata: script.bindings!, expressionPlugins: ["typescript"] },
  })
  return [...errors, ...template.errors].map(String)
}

/** The script of a component, as a module that TypeScript reads; other blocks as they are. */
export const toModule = (block: Block): Pick<Block, "path" | "code"> => {
  if (!isComponent(block)) return block
  const script = /<script[^>]*>\n([\s\S]*?)<\/script>/.exec(block.code)![1]!
  const prelude = block.language === "vue" ? `import { defineEmits } from "vue"\n` : ""
  return { path: `${block.path}.ts`, code: `${prelude}${script}\nexport {}` }
}
