import type { TestPlan } from '../ecosystem.ts'
import { shellStep } from '../ecosystem.ts'
import { usualCoverage } from '../places.ts'
import type { Step } from '../plan.ts'

const report = '{output}/lcov.info'

/** The words before a command whose Node processes are measured. */
export const measuring = ['node', '{tools}/v8-coverage.mjs', report, '{root}']

/** Adds coverage to a command of Node programs. Node measures by itself, so that the project needs no package for it. */
export function measuredByNode(test: Step): Pick<TestPlan, 'test' | 'unmeasured' | 'coverage'> {
  return { test: { ...test, argv: [...measuring, ...test.argv] }, unmeasured: test, coverage: [report] }
}

/** The runners to which `report-tests.cjs` adds a report, wherever in a command they start. */
export const reportedAnywhere: readonly string[] = ['mocha', 'jest', 'vitest', 'jasmine', 'ava', 'tape', 'node:test']

const anywhere = ['{output}/{mocha,jest,vitest}-*.json', '{output}/*.tap', '{output}/{jasmine,node}-*.xml']

/** A command that runs tests with Node itself. */
export const startsNodeTest = /^(?=(.*?\bnode\b))\1.*\s--test\b/m

/**
 * Plans a command that a shell runs as the project wrote it. Each process of Node that turns out to be a test runner
 * writes a report, and all of them are measured.
 *
 * @param scripts - what the command may run
 */
export function reportedByNode(
  line: string,
  scripts: string,
  details: Parameters<typeof shellStep>[1],
): Pick<TestPlan, 'test' | 'unmeasured' | 'coverage' | 'elseReports' | 'writtenFor'> {
  const isNodeTest = startsNodeTest.test(scripts)
  // Node ends at a second reporter without a destination.
  const reporter = isNodeTest && !scripts.includes('--test-reporter')
  const options = [
    String.raw`--require \"{tools}/report-tests.cjs\"`,
    ...(reporter ? [String.raw`--test-reporter=\"{tools}/node-reporter.mjs\" --test-reporter-destination=stdout`] : []),
  ]
  const own = `NODE_OPTIONS="\${NODE_OPTIONS:-} ${options.join(' ')}"; export NODE_OPTIONS`
  const environment = { ...details.environment, ASSAY_REPORTS: '{output}' }
  const measured = measuredByNode(shellStep(`${own}; ${line}`, { ...details, environment }))
  return {
    ...measured,
    coverage: [...measured.coverage, ...usualCoverage],
    elseReports: anywhere,
    ...(isNodeTest && { writtenFor: 'node:test' }),
  }
}
