import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import type { Package } from './package.ts'
import { majorVersion } from './package.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments, textsOf } from './runner.ts'

const valued = ['-c', '--config', '-r', '--root', '--dir', '-t', '--testNamePattern', '--project', '--pool', '--mode']
const moreValued = ['--environment', '--shard', '--maxWorkers', '--minWorkers', '--exclude', '--retry', '--workspace']
const ours = ['--reporter', '--outputFile', '--testTimeout', '--hookTimeout', '--bail']
/** Options such as `--coverage.thresholds.lines` and `--outputFile.json`, besides those that switch something on. */
const nested =
  /^--\w+(?:\.\w+)*\.(?!(?:100|all|allowExternal|allowJs|autoUpdate|clean|cleanOnRerun|concurrent|enabled|excludeAfterRemap|fileParallelism|files|headless|ignoreSourceErrors|isolate|only|perFile|reportOnFailure|requireAssertions|screenshotFailures|shuffle|singleFork|singleThread|skipFull|tests|trackUnhandledErrors|ui|useAtomics)$)\w+$/

const dropped =
  /^(?:-w|--watch|--no-watch|--run|--ui|--open|--standalone|--reporter|--outputFile(?:\..*)?|--coverage|--no-coverage|--coverage\.(?:enabled|reporter|reportOnFailure|reportsDirectory|thresholds.*))(?:=|$)/

const subcommands = new Set(['run', 'watch', 'dev', 'related', 'list', 'init', 'bench'])

export const vitest: Runner = {
  name: 'vitest',
  programs: ['vitest'],
  file: /^vitest\/vitest\.mjs$/,
  plan(command, { project, because }) {
    const { options, targets } = splitArguments(command.words, {
      valued: [...valued, ...moreValued, ...ours],
      valuedPattern: nested,
      dropped,
    })
    const own = subcommands.has(targets[0]?.text ?? '') ? targets.slice(1) : targets
    const major = majorVersion(project.dependencies.get('vitest')) ?? 0
    const provider = providerOf(project, options)
    const base = [
      'vitest',
      'run',
      ...options,
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json={output}/vitest.json',
      // Older ones end at options that they do not know.
      ...(major >= 3 ? ['--includeTaskLocation'] : []),
    ]
    const measuring = [
      '--coverage.enabled',
      ...(provider === 'custom' ? ownProvider : provider === 'given' ? [] : [`--coverage.provider=${provider}`]),
      '--coverage.reporter=lcovonly',
      '--coverage.reportOnFailure',
      '--coverage.reportsDirectory={output}/coverage',
      // A threshold of the configuration that is not reached would look like a failed test.
      ...(major >= 1
        ? ['lines', 'functions', 'branches', 'statements'].map((name) => `--coverage.thresholds.${name}=0`)
        : []),
    ]
    const vitestStep = (coverage: readonly string[]) => {
      const args = [...base, ...coverage, ...textsOf(own)]
      const places: Record<string, string> =
        provider === 'custom' && coverage === measuring
          ? { ASSAY_ROOT: '{root}', ASSAY_LCOV: '{output}/lcov.info' }
          : {}
      const environment = { ...command.environment, ...runnerEnvironment, ...places }
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
      coverage: provider ? [provider === 'custom' ? '{output}/lcov.info' : '{output}/coverage/lcov.info'] : [],
      failureExitCodes: [1],
      notes: provider ? [] : ['No coverage, because neither @vitest/coverage-v8 nor -istanbul is a dependency.'],
    }
  },
}

const ownProvider = ['--coverage.provider=custom', '--coverage.customProviderModule={tools}/vitest-coverage.mjs']

/** Returns what measures coverage; null if nothing can. Assay's own provider needs Node, and the interface of Vitest 1. */
function providerOf(
  { dependencies }: Package,
  options: readonly string[],
): 'given' | 'v8' | 'istanbul' | 'custom' | null {
  if (options.some((option) => /^--coverage\.(?:provider|customProviderModule)(?:=|$)/.test(option))) return 'given'
  const declared = (['v8', 'istanbul'] as const).find((name) => dependencies.has(`@vitest/coverage-${name}`))
  if (declared) return declared
  const isInBrowser = [...dependencies.keys()].some((name) => name.startsWith('@vitest/browser'))
  return isInBrowser || majorVersion(dependencies.get('vitest')) === 0 ? null : 'custom'
}
