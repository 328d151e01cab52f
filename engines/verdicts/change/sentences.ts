import { listed, quotedLine } from '../sentences.ts'
import { adviceOn } from '../worth.ts'
import { titleOf } from './describe-tests.ts'
import type { ChangeSurvivor, UncoveredRange } from './schema.ts'
import type { TestOfChange } from './tests-of-change.ts'

const maxTitleLength = 200
const shownFailures = 3
const shownRanges = 3

/** A title for a sentence, with the file of the test if it is known. */
export function named(test: TestOfChange): string {
  const title = short(titleOf(test))
  const { file, line } = test
  if (file === null || title === file) return `\`${title}\``
  return `\`${title}\` (${file}${line === null ? '' : `:${line}`})`
}

export const short = (title: string) => (title.length > maxTitleLength ? `${title.slice(0, maxTitleLength)}…` : title)

export const titles = (tests: readonly TestOfChange[]): string => listed(tests.map((test) => short(titleOf(test))))

/** "`cart > adds` fails at src/cart.ts:4: expected 2 to be 3." for the first failures. */
export function failures(tests: readonly TestOfChange[]): string {
  const said = tests.slice(0, shownFailures).map((test) => {
    const { place = null, message = null } = test.head?.example ?? {}
    const at = place === null ? '' : ` at ${place.file}:${place.line}`
    return `${named(test)} fails${at}${message === null || message.trim() === '' ? '.' : `: ${quotedLine(message)}`}`
  })
  const more = tests.length - said.length
  return [...said, ...(more > 0 ? [`${more} more ${more === 1 ? 'fails' : 'fail'}.`] : [])].join(' ')
}

/** "src/cart.ts:4-6, src/cart.ts:9 and 2 more ranges" */
export function ranges(uncovered: readonly UncoveredRange[]): string {
  const shown = uncovered.slice(0, shownRanges).map(placeOf)
  const more = uncovered.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

const placeOf = ({ path, startLine, endLine }: UncoveredRange) =>
  `${path}:${startLine}${endLine === startLine ? '' : `-${endLine}`}`

const noTest = 'No test detects'
const shownSurvivors = 2

/** Says which changes of the changed lines no test detects, and what to assert. */
export function adviceOnSurvivors(survivors: readonly ChangeSurvivor[]): string {
  const mutants = survivors.flatMap(({ operator, isInOldCode, ...mutant }) =>
    isInOldCode || operator === 'restored' || operator === 'removed_assignment' || operator === 'value'
      ? []
      : { operator, ...mutant },
  )
  const old = survivors.filter(({ isInOldCode }) => isInOldCode).map(saidOfOldCode)
  const more = old.length > shownSurvivors ? [`The evidence lists ${old.length - shownSurvivors} more.`] : []
  const restored = survivors.filter(({ operator }) => operator === 'restored')
  const said = restored.slice(0, shownSurvivors).map(({ path, line, original, replacement }) => {
    const change =
      replacement.trim() === ''
        ? `without ${quotedCode(original)}, which the change adds`
        : original.trim() === ''
          ? `with ${quotedCode(replacement)}, which the change removes`
          : `with the old ${quotedCode(replacement)} in place of ${quotedCode(original)}`
    return `The tests pass ${change}, in ${path}:${line}.`
  })
  return [
    ...(mutants.length > 0 ? [adviceOn(mutants, noTest)] : []),
    ...old.slice(0, shownSurvivors),
    ...more,
    ...said,
  ].join(' ')
}

function saidOfOldCode({ path, line, operator, original, replacement }: ChangeSurvivor): string {
  const change =
    replacement.trim() === '' || operator.startsWith('removed_')
      ? `the removal of ${quotedCode(original)}`
      : `${quotedCode(replacement)} in place of ${quotedCode(original)}`
  return `${noTest} ${change} in the old code, in line ${line} of ${path}, so the tests cannot show that it stayed the same: assert what this code does.`
}

const maxCodeLength = 120

export function quotedCode(text: string): string {
  const line = text.slice(0, 1_000).replace(/\s+/g, ' ').trim()
  return `\`${line.length > maxCodeLength ? `${line.slice(0, maxCodeLength)}…` : line}\``
}
