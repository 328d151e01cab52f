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
  const driven = commandOf(framework, step.argv)
  if (driven === null) return null
  return {
    ...step,
    argv: ['node', `{tools}/mutants/${driven.driver}`, ...driven.argv],
    environment: { ...step.environment, ASSAY_MUTANTS: '{output}' },
  }
}

function commandOf(framework: string | null, argv: readonly string[]): { driver: string; argv: string[] } | null {
  switch (framework) {
    case 'vitest': {
      const at = argv.indexOf('vitest')
      return at < 0 ? null : { driver: 'vitest.mjs', argv: argv.slice(at + 1).filter((word) => !ofReports.test(word)) }
    }
    case 'node:test':
      return argv.includes('--test') ? { driver: 'node-test.mjs', argv: [...argv] } : null
    case 'mocha':
      return argv.includes('mocha') ? { driver: 'mocha.mjs', argv: [...argv] } : null
    default:
      return null
  }
}
