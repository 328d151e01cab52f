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

/** Returns the words to execute. `npx --no-install` becomes our own launcher, because npm takes longer to start than many tests. */
export function executedWords(argv: readonly string[], paths: StepPaths): string[] {
  const [program, option, ...rest] = argv
  const isInstalled = program === 'npx' && option === '--no-install'
  return (isInstalled ? ['sh', '{tools}/installed-program.sh', ...rest] : argv).map((word) => fillIn(word, paths))
}

export function fillIn(text: string, paths: StepPaths): string {
  return text.replace(/\{(root|output|deps|tools)\}/g, (_match, name: keyof StepPaths) => paths[name])
}
