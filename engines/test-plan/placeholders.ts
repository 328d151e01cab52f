import { fileURLToPath } from 'node:url'

/** Our own helpers, which steps see as `{tools}`. */
export const toolsDirectory = fileURLToPath(new URL('tools', import.meta.url))

/** The values of the placeholders of a plan. */
export interface StepPaths {
  root: string
  output: string
  deps: string
  tools: string
}

export function fillIn(text: string, paths: StepPaths): string {
  return text.replace(/\{(root|output|deps|tools)\}/g, (_match, name: keyof StepPaths) => paths[name])
}
