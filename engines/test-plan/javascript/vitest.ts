import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import { majorVersion } from './package.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

const valued = ['-c', '--config', '-r', '--root', '--dir', '-t', '--testNamePattern', '--project', '--pool', '--mode']
const moreValued = ['--environment', '--shard', '--maxWorkers', '--minWorkers', '--exclude', '--retry', '--workspace']
const ours = ['--reporter', '--outputFile', '--testTimeout', '--hookTimeout', '--bail', '--coverage.provider']
const dropped =
  /^(?:-w|--watch|--no-watch|--run|--ui|--open|--standalone|--reporter|--outputFile(?:\..*)?|--coverage|--no-coverage|--coverage\.(?:enabled|reporter|reportOnFailure|reportsDirectory|thresholds.*))(?:=|$)/

const subcommands = new Set(['run', 'watch', 'dev', 'related', 'list', 'init', 'bench'])

export const vitest: Runner = {
  name: 'vitest',
  programs: ['vitest'],
  file: /^vitest\/vitest\.mjs$/,
  plan(command, { project, because }) {
    const { options, targets } = splitArguments(command.words, { valued: [...valued, ...moreValued, ...ours], dropped })
    const own = subcommands.has(targets[0]?.text ?? '') ? targets.slice(1) : targets
    const provider = ['v8', 'istanbul'].find((name) => project.dependencies.has(`@vitest/coverage-${name}`))
    const base = [
      'vitest',
      'run',
      ...options,
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json={output}/vitest.json',
      // Older ones end at options that they do not know.
      ...((majorVersion(project.dependencies.get('vitest')) ?? 0) >= 2 ? ['--includeTaskLocation'] : []),
    ]
    const measuring = [
      '--coverage.enabled',
      `--coverage.provider=${provider}`,
      '--coverage.reporter=lcovonly',
      '--coverage.reportOnFailure',
      '--coverage.reportsDirectory={output}/coverage',
    ]
    const vitestStep = (coverage: readonly string[]) => {
      const args = [...base, ...coverage, ...textsOf(own)]
      const environment = { ...command.environment, ...runnerEnvironment }
      return step(npx(...args), { because, command: quoted(['npx', ...args]), environment })
    }
    return {
      framework: 'vitest',
      test: vitestStep(provider ? measuring : []),
      // The configuration may enable coverage itself.
      unmeasured: vitestStep(['--coverage.enabled=false']),
      shuffle: ['--sequence.shuffle', '--sequence.seed={seed}'],
      targetCount: own.length,
      reports: ['{output}/vitest.json'],
      coverage: provider ? ['{output}/coverage/lcov.info'] : [],
      failureExitCodes: [1],
      notes: provider ? [] : ['No coverage, because neither @vitest/coverage-v8 nor -istanbul is a dependency.'],
    }
  },
}
