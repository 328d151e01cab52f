import type { ProjectSettings } from '../projects/schema.ts'

/** What the readers of a run should know. Only `low_coverage` decides something: the commit's status is a failure. */
export interface RunWarning {
  code: 'low_coverage' | 'note'
  text: string
}

export const maxWarnings = 50

const note = (text: string): RunWarning => ({ code: 'note', text })

/** Adds warnings whose text is new, up to a number of them. */
export function addWarning(warnings: RunWarning[], text: string, limit = maxWarnings): void {
  if (warnings.length < limit && warnings.every((warning) => warning.text !== text)) warnings.push(note(text))
}

/** The warnings of a run, with one that says that the coverage is too low where it is. */
export function withCoverageWarning(
  warnings: readonly RunWarning[],
  coverage: number | null,
  { coverageThreshold }: Pick<ProjectSettings, 'coverageThreshold'>,
): RunWarning[] {
  // Each part of an upload may change the coverage.
  const others = warnings.filter(({ code }) => code !== 'low_coverage')
  if (coverage === null || coverageThreshold === null || coverage >= coverageThreshold) return others
  const text = `Coverage is ${coverage} %, below the ${coverageThreshold} % that the settings ask for.`
  return [{ code: 'low_coverage', text }, ...others]
}

/** Rows of earlier versions hold texts. */
export const storedWarnings = {
  to: (warnings: RunWarning[]) => warnings,
  from: (stored: (RunWarning | string)[]): RunWarning[] =>
    stored.map((warning) => (typeof warning === 'string' ? note(warning) : warning)),
}
