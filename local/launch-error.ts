/** What keeps Assay from starting, a line each, for the person at the terminal; nothing when that is what was wished. */
export class LaunchError extends Error {
  override name = 'LaunchError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('; '))
    this.problems = [...new Set(problems)]
  }
}

export function exitWith(problems: string[]): never {
  for (const problem of new Set(problems)) process.stderr.write(`assay: ${problem}\n`)
  process.exit(problems.length > 0 ? 1 : 130)
}
