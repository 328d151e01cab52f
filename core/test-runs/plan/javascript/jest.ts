import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

const valued = ['-c', '--config', '-t', '--testNamePattern', '--rootDir', '--env', '--testEnvironment', '-w']
const moreValued = ['--maxWorkers', '--projects', '--selectProjects', '--testPathIgnorePatterns', '--roots', '--shard']
const lists = ['--testTimeout', '--setupFiles', '--setupFilesAfterEnv', '--collectCoverageFrom', '--testMatch']
const ours = ['--outputFile', '--coverageReporters', '--coverageDirectory', '--reporters', '--coverageThreshold']
const dropped =
  /^(?:--watch|--watchAll|--no-watch|--no-watchAll|-o|--onlyChanged|--json|--outputFile|--reporters|--coverage|--no-coverage|--collectCoverage|--coverageReporters|--coverageDirectory|--coverageThreshold|--notify)(?:=|$)/

const reporting = [
  '--ci',
  '--json',
  '--outputFile={output}/jest.json',
  '--testLocationInResults',
  '--coverage',
  '--coverageReporters=lcovonly',
  '--coverageDirectory={output}/coverage',
  // A threshold that is not reached would look like a failed test.
  '--coverageThreshold={}',
]

/** Jest itself, or `react-scripts test`, which takes the same options. */
function jestLike(programs: readonly string[], file: RegExp, before: readonly string[]): Runner {
  return {
    name: 'jest',
    programs,
    file,
    plan(command, { because }) {
      const rules = { valued: [...valued, ...moreValued, ...lists, ...ours], dropped }
      const { options, targets } = splitArguments(command.words.slice(before.length > 0 ? 1 : 0), rules)
      const program = programs[0] ?? 'jest'
      const args = [program, ...before, ...options, ...reporting, ...textsOf(targets)]
      // `node --experimental-vm-modules node_modules/jest/bin/jest.js`: the options of node go by way of the environment.
      const nodeOptions = [command.environment.NODE_OPTIONS, ...command.node].filter(Boolean).join(' ')
      return {
        framework: 'jest',
        test: step(npx(...args), {
          because,
          command: quoted(['npx', ...args]),
          environment: {
            ...command.environment,
            ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
            ...runnerEnvironment,
          },
        }),
        targetCount: targets.length,
        reports: ['{output}/jest.json'],
        coverage: ['{output}/coverage/lcov.info'],
        failureExitCodes: [1],
        notes: [],
      }
    },
  }
}

export const jest = jestLike(['jest', 'jest-cli'], /^jest(?:-cli)?\/bin\/jest(?:\.js)?$/, [])
export const reactScripts = jestLike(['react-scripts'], /^react-scripts\/bin\//, ['test', '--watchAll=false'])
