import { namedAsGenerated } from './disguised-code.ts'
import type { Observed } from './judgement.ts'
import type { ChangeVerdict } from './schema.ts'

const maxShown = 3

/** Returns sentences about changed code that Assay takes for tests or for the output of a tool. */
export function disguisedRemarks({ facts: { files } }: Observed, verdict: ChangeVerdict): string[] {
  if (verdict !== 'proved' && verdict !== 'no_code_changed') return []
  const generated = namedAsGenerated(files).map(({ path }) => path)
  const isOne = generated.length === 1
  const more = generated.length > maxShown ? ` and ${generated.length - maxShown} more files` : ''
  return [
    ...(generated.length > 0
      ? [
          `The change also edits ${generated.slice(0, maxShown).join(', ')}${more}, which ${isOne ? 'has the name of a generated file' : 'have the names of generated files'}. The verdict says nothing about ${isOne ? 'it' : 'them'}.`,
        ]
      : []),
    ...files
      .flatMap(({ path, importedBy }) => (importedBy === undefined ? [] : { path, importedBy }))
      .slice(0, maxShown)
      .map(
        ({ path, importedBy }) =>
          `${path} has tests, but ${importedBy} imports it. The verdict says nothing about what ${path} does for other code than tests.`,
      ),
  ]
}
