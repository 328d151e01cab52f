import type { Outputs } from '../../api.ts'

type Expected = Outputs['gate']['getPolicy']['uploads']

const maxNames = 5

/** The commands that send what a gate waits for, as docs/cli.md explains them. */
export function uploadCommands({ names }: Pick<Expected, 'names'>, arrived: readonly string[]): string {
  const missing = names.filter((name) => !arrived.includes(name)).slice(0, maxNames)
  const uploads = missing.length > 0 ? missing.map((name) => `assay upload --name ${quoted(name)}`) : ['assay upload']
  return [...uploads, 'assay upload --done   # no more will come'].join('\n')
}

/** A word for a shell. */
const quoted = (word: string) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
