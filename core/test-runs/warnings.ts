import type { ProjectSettings } from '../projects/schema.ts'

/** A remark on a run. `low_coverage` makes the status of the commit a failure; the others change nothing. */
export interface RunWarning {
  code: 'low_coverage' | 'note'
  text: string
}

const maxWarnings = 50

const note = (text: string): RunWarning => ({ code: 'note', text })

/** Adds a warning unless its text is known or the limit is reached. */
export function addWarning(warnings: RunWarning[], text: string): void {
  if (warnings.length < maxWarnings && warnings.every((warning) => warning.text !== text)) warnings.push(note(text))
}

/** Adds or removes the warning that the coverage is below the threshold. */
export function withCoverageWarning(
  warnings: readonly RunWarning[],
  coverage: number | null,
  { coverageThreshold }: Pick<ProjectSettings, 'coverageThreshold'>,
): RunWarning[] {
  // An earlier part of an upload may have had another coverage.
  const others = warnings.filter(({ code }) => code !== 'low_coverage')
  if (coverage === null || coverageThreshold === null || coverage >= coverageThreshold) return others
  const text = `Coverage is ${coverage} %, below the ${coverageThreshold} % that the project settings require.`
  return [{ code: 'low_coverage', text }, ...others]
}

/** Earlier versions stored warnings as plain texts. */
export const storedWarnings = {
  to: (warnings: RunWarning[]) => warnings,
  from: (stored: (RunWarning | string)[]): RunWarning[] =>
    stored.map((warning) => (typeof warning === 'string' ? note(warning) : warning)),
}
