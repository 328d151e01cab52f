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
    argv: driven.argv,
    environment: { ...step.environment, ASSAY_MUTANTS: '{output}', ASSAY_ROOT: '{root}', ...driven.environment },
  }
}

/** Returns the command of a step without checks of types, which run no code. */
export function withoutTypeChecks(framework: string | null, step: Step): Step {
  const at = step.argv.indexOf('vitest')
  if (framework !== 'vitest' || at < 0) return step
  // After `run`, which Vitest expects first.
  const from = step.argv[at + 1] === 'run' ? at + 2 : at + 1
  return { ...step, argv: step.argv.toSpliced(from, 0, '--typecheck.enabled=false') }
}

interface Driven {
  argv: string[]
  environment?: Record<string, string>
}

function commandOf(framework: string | null, argv: readonly string[]): Driven | null {
  const driver = (name: string, words: readonly string[]) => ({ argv: ['node', `{tools}/mutants/${name}`, ...words] })
  switch (framework) {
    case 'vitest': {
      const at = argv.indexOf('vitest')
      return at < 0
        ? null
        : driver(
            'vitest.mjs',
            argv.slice(at + 1).filter((word) => !ofReports.test(word)),
          )
    }
    case 'node:test':
      return argv.includes('--test') ? driver('node-test.mjs', argv) : null
    case 'mocha':
      return argv.includes('mocha') ? driver('mocha.mjs', argv) : null
    case 'jest':
      return argv.some((word) => word === 'jest' || word === 'react-scripts') ? driver('jest.mjs', argv) : null
    case 'pytest': {
      const at = argv.indexOf('pytest') + 1
      if (at === 0) return null
      const words = argv.filter((word) => !word.startsWith('--junitxml='))
      return {
        argv: words.toSpliced(at, 0, '-p', 'python_mutants', '-p', 'no:cacheprovider'),
        environment: { PYTHONPATH: '{tools}/mutants' },
      }
    }
    case 'unittest': {
      const at = argv.indexOf('{tools}/unittest_junit.py')
      if (at < 0) return null
      const targets = argv.slice(at + 1).filter((word) => !word.startsWith('--output='))
      return { argv: [...argv.slice(0, at), '{tools}/mutants/unittest_mutants.py', ...targets] }
    }
    case 'go test':
      return argv.includes('go') ? driver('go.mjs', argv) : null
    default:
      return null
  }
}

/** Whether the driver reports the loading of a file when all tests of the file have ended, and not before. */
export const loadsLast = (framework: string | null): boolean =>
  ['vitest', 'jest', 'mocha', 'node:test'].includes(framework ?? '')
