/** What keeps Assay from starting, a line each, for the person at the terminal. */
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
  process.exit(1)
}
