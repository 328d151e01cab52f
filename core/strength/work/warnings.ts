import { namedTest } from '../../../engines/strength/named-test.ts'
import type { Tally } from '../../../engines/strength/tally.ts'
import type { Sample } from './sample.ts'

const maxNamed = 3

/** Returns what readers should know about the result. */
export function warningsOf(
  { errors, failing, failingTests }: Tally,
  { tried, disagreed, doubtful, pathOf }: Sample & { pathOf: (file: string) => string },
): string[] {
  const warnings = [...errors]
  if (failing > 0) {
    const titles = failingTests.map((test) => {
      const { path, name } = namedTest(test, pathOf)
      return `${path}: ${name}`
    })
    warnings.push(
      `${failing === 1 ? '1 test fails' : `${failing} tests fail`} without a mutant and tried none: ${named(titles, failing)}.`,
    )
  }
  if (doubtful.length === 0 && disagreed > 0) {
    warnings.push(`${disagreed} of ${tried} results were different in fresh processes. What these say counts.`)
  }
  if (doubtful.length > 0) {
    warnings.push(
      `${disagreed} of ${tried} results were different in fresh processes, so that other results of these test files do not count: ${named(doubtful, doubtful.length)}. Their tests seem to depend on what other tests leave behind.`,
    )
  }
  return warnings
}

function named(names: readonly string[], count: number): string {
  const shown = names.slice(0, maxNamed)
  return `${shown.join(', ')}${count > shown.length ? ` and ${count - shown.length} more` : ''}`
}
