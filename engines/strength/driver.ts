import type { Step } from '../test-plan/plan.ts'

/** The names of the files in `{output}` by which the host and a driver talk. */
export const driverFiles = { wanted: 'wanted.json', events: 'events.jsonl' }

/** Options of reports and coverage, which a driver does without. */
const ofReports = /^--(?:reporter|outputFile|coverage|includeTaskLocation)\b/

/**
 * Returns the command that tries mutants with the runner of a step, which stays loaded between them. Null if Assay has no
 * driver for the runner.
 *
 * @param step - all tests, without coverage
 */
export function driverOf(framework: string | null, step: Step): Step | null {
  const at = step.argv.findIndex((word) => word === framework)
  const options = step.argv.slice(at + 1).filter((word) => !ofReports.test(word))
  if (framework !== 'vitest' || at < 0) return null
  return {
    ...step,
    argv: ['node', '{tools}/mutants/vitest.mjs', ...options],
    environment: { ...step.environment, ASSAY_MUTANTS: '{output}' },
  }
}
