import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import type { Package } from './package.ts'
import { majorVersion } from './package.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

const valued = ['-c', '--config', '-t', '--testNamePattern', '--rootDir', '--env', '--testEnvironment', '-w']
const moreValued = ['--maxWorkers', '--projects', '--selectProjects', '--testPathIgnorePatterns', '--roots', '--shard']
const lists = ['--testTimeout', '--setupFiles', '--setupFilesAfterEnv', '--collectCoverageFrom', '--testMatch']
const ours = ['--outputFile', '--coverageReporters', '--coverageDirectory', '--reporters', '--coverageThreshold']
const dropped =
  /^(?:--watch|--watchAll|--no-watch|--no-watchAll|-o|--onlyChanged|--json|--outputFile|--reporters|--coverage|--no-coverage|--collectCoverage|--coverageReporters|--coverageDirectory|--coverageThreshold|--notify)(?:=|$)/

const reporting = ['--ci', '--json', '--outputFile={output}/jest.json', '--testLocationInResults']
const measuring = [
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
    plan(command, { project, because }) {
      const rules = { valued: [...valued, ...moreValued, ...lists, ...ours], dropped }
      const { options, targets } = splitArguments(command.words.slice(before.length > 0 ? 1 : 0), rules)
      const program = programs[0] ?? 'jest'
      // `node --experimental-vm-modules node_modules/jest/bin/jest.js`: the options of node go by way of the environment.
      const nodeOptions = [command.environment.NODE_OPTIONS, ...command.node].filter(Boolean).join(' ')
      const environment = {
        ...command.environment,
        ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
        ...runnerEnvironment,
      }
      const jestStep = (coverage: readonly string[]) => {
        const args = [program, ...before, ...options, ...reporting, ...coverage, ...textsOf(targets)]
        return step(npx(...args), { because, command: quoted(['npx', ...args]), environment })
      }
      return {
        framework: 'jest',
        test: jestStep(measuring),
        unmeasured: jestStep(['--coverage=false']),
        ...(canRandomize(project) && { shuffle: ['--randomize', '--seed={seed}'] }),
        targetCount: targets.length,
        reports: ['{output}/jest.json'],
        coverage: ['{output}/coverage/lcov.info'],
        failureExitCodes: [1],
        notes: [],
      }
    },
  }
}

/** From 29.5 on; older ones end at options that they do not know. */
function canRandomize({ dependencies }: Package): boolean {
  const range = dependencies.get('jest') ?? ''
  const major = majorVersion(range) ?? 0
  const isNewestOfMajor = range.startsWith('^') || !range.includes('.')
  return major > 29 || (major === 29 && (isNewestOfMajor || /29\.(?:[5-9]|\d\d)/.test(range)))
}

export const jest = jestLike(['jest', 'jest-cli'], /^jest(?:-cli)?\/bin\/jest(?:\.js)?$/, [])
export const reactScripts = jestLike(['react-scripts'], /^react-scripts\/bin\//, ['test', '--watchAll=false'])
