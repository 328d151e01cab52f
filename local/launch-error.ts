/** Problems that prevent the start, one line each for the user. Empty after an interruption. */
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
