import { kindOfFile } from '../verdicts/change/changed-files.ts'

const maxNamed = 3

/** Returns the code among files that a caller names, or why there is none, as the end of a sentence about the names. */
export function codeAmong(paths: Iterable<string>): { code: string[]; problem: string | null } {
  const kinds = Map.groupBy(paths, kindOfFile)
  const { code = [], test = [], test_support: support = [] } = Object.fromEntries(kinds)
  if (code.length > 0) return { code, problem: null }
  const tests = [...test, ...support]
  const problem =
    tests.length > 0
      ? `name no code, only tests: ${named(tests)}. Name the code that these test, or leave the paths out.`
      : 'name no code that tests can run. Name files or folders of code, or leave the paths out.'
  return { code, problem }
}

function named(paths: readonly string[]): string {
  const more = paths.length - maxNamed
  return `${paths.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
