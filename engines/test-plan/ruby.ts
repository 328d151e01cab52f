import { parseGemfile, parseGemspec } from '../manifests/ruby.ts'
import { quoted } from './command-line.ts'
import type { Ecosystem, TestPlan } from './ecosystem.ts'
import { installStep, nothingToInstall, shellStep, step } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { readManifest, withoutComment } from './folder.ts'
import type { PlanType, Step } from './plan.ts'
import { foldersOfType } from './test-folders.ts'

const environment = { BUNDLE_PATH: '{deps}/bundle', BUNDLE_APP_CONFIG: '{deps}/bundle-config' }

/** A literal: text without interpolation, a symbol, a number, or a word such as `false`. */
const literal = String.raw`(?:"[^"#\\]*"|'[^'\\]*'|:\w+|\d+|true|false|nil)`
const argument = String.raw`(?:\w+: *|:\w+ *=> *)?(?:${literal}|\[ *${literal}(?:, *${literal})* *\])`
const plainLine = new RegExp(
  String.raw`^(?:end|(?:source|ruby|gem|group|platforms?)(?: *\( *| +)${argument}(?:, *${argument})* *\)?(?: +do)?)?$`,
)

/** Gems of the repository itself, and sources other than servers. */
const ownSource = /\b(?:path|gemspec|plugin)\b|\b(?:git|file):|:git\b|^\s*source[\s(]+["'](?!https:)/

/** Whether a Gemfile contains only lists of literals. Any other Gemfile is a program, which can read every file. */
export function isPlainGemfile(source: string): boolean {
  return source
    .split('\n')
    .every((line) => line.length < 500 && !ownSource.test(line) && plainLine.test(withoutComment(line).trim()))
}

const lockedGems =
  /^(?:GEM|PLATFORMS|DEPENDENCIES|CHECKSUMS|RUBY VERSION|BUNDLED WITH|  remote: https:.*|  specs:|   .*|  [^:]*)?$/

/** Whether a lockfile names only gems of servers: no folders, repositories or plugins. */
const isOfServers = (lockfile: string): boolean => lockfile.split(/\r?\n/).every((line) => lockedGems.test(line))

export const ruby: Ecosystem = {
  name: 'ruby',
  claims: (folder) =>
    gemfileOf(folder) !== undefined || folder.paths.some((path) => /^[^/]+\.gemspec$|^\.rspec$/.test(path)),
  async install(folder) {
    const gemfile = gemfileOf(folder)
    if (gemfile === undefined) return nothingToInstall
    const lockfile = ['Gemfile.lock', 'gems.locked'].find((path) => folder.has(path))
    const deciding = folder.paths.filter(
      (path) => path === gemfile || path === lockfile || /^[^/]+\.gemspec$|^\.ruby-version$/.test(path),
    )
    return {
      manager: 'bundler',
      install: installStep(
        shellStep(
          '{ command -v bundle >/dev/null || gem install --no-document --install-dir {deps}/gems bundler; } && PATH="{deps}/gems/bin:$PATH" bundle install --jobs 2',
          {
            because: lockfile ? `${lockfile} pins the gems` : `${gemfile} names the gems`,
            command: 'bundle install',
            environment: { ...environment, ...(lockfile && { BUNDLE_FROZEN: 'true' }) },
          },
        ),
        {
          lockfiles: deciding.map((path) => folder.inRepository(path)),
          readsTree: !(
            isPlainGemfile((await folder.read(gemfile)) ?? 'unknown') &&
            (lockfile === undefined || isOfServers((await folder.read(lockfile)) ?? 'unknown'))
          ),
          fillsDeps: true,
        },
      ),
      prepare: [],
      notes: lockfile ? [] : ['Without Gemfile.lock, runs may get different versions. Commit Gemfile.lock.'],
    }
  },
  async tests(folder, type) {
    const plans: TestPlan[] = []
    if (folder.paths.some((path) => /^spec\/.*_spec\.rb$/.test(path))) {
      plans.push(
        await rspec(
          folder,
          foldersOfType(folder, type),
          {},
          folder.has('.rspec') ? 'the repository has .rspec' : 'spec/ contains RSpec specs',
        ),
      )
    }
    const files = testFiles(folder, type)
    if (files.length > 0) {
      const framework = (await usesTestUnit(folder, files)) ? 'test-unit' : 'minitest'
      const make = framework === 'minitest' ? minitest : testUnit
      plans.push(await make(folder, files, `${files[0]} and other tests of ${framework} are there`))
    }
    return plans
  },
  async adopt(folder, { words, environment: own }) {
    const texts = words.map(({ text }) => text)
    const args = texts[0] === 'bundle' && texts[1] === 'exec' ? texts.slice(2) : texts
    if (!/^(?:bin\/)?rspec$/.test(args[0] ?? '')) return null
    const because = `the setting "testCommand" is \`${quoted(texts)}\``
    const targets = args.slice(1).filter((word) => !word.startsWith('-'))
    // Options may take the next word for their value: then nothing can be added safely.
    return targets.length === args.length - 1 ? rspec(folder, targets, own, because) : null
  },
}

async function rspec(
  folder: Folder,
  targets: readonly string[],
  own: Readonly<Record<string, string>>,
  because: string,
): Promise<TestPlan> {
  const launcher = gemfileOf(folder) ? ['bundle', 'exec'] : []
  const argv = [
    ...launcher,
    'rspec',
    '--format',
    'documentation',
    '--format',
    'json',
    '--out',
    '{output}/rspec.json',
    ...targets,
  ]
  const test = step(argv, { because, environment: { ...environment, ...own } })
  return {
    framework: 'rspec',
    ...measuredByRuby(test),
    shuffle: ['--order', 'random:{seed}'],
    targetCount: targets.length,
    reports: ['{output}/rspec.json'],
    ...(await coverageOf(folder)),
    failureExitCodes: [1],
  }
}

async function minitest(folder: Folder, files: readonly string[], because: string): Promise<TestPlan> {
  const rails = folder.has('bin/rails')
  const bundled = gemfileOf(folder) === undefined ? [] : ['bundle', 'exec']
  const argv = rails
    ? [...bundled, 'ruby', 'bin/rails', 'test']
    : [...bundled, 'ruby', '-Ilib', '-Itest', '{tools}/minitest_run.rb', ...files]
  const test = step(argv, {
    because,
    command: rails ? 'bin/rails test' : quoted([...bundled, 'ruby', '-Ilib', '-Itest', ...files]),
    environment: {
      ...environment,
      // Where minitest looks for its plugins, of which ours writes the report.
      RUBYLIB: '{tools}/ruby',
      ASSAY_JUNIT: '{output}/junit.xml',
      ...(rails && { RAILS_ENV: 'test' }),
    },
  })
  return {
    framework: 'minitest',
    ...measuredByRuby(test),
    shuffle: ['--seed', '{seed}'],
    targetCount: rails ? 0 : files.length,
    reports: ['{output}/junit.xml'],
    ...(await coverageOf(folder)),
    failureExitCodes: [1],
  }
}

async function testUnit(folder: Folder, files: readonly string[], because: string): Promise<TestPlan> {
  const ruby = [...(gemfileOf(folder) === undefined ? [] : ['bundle', 'exec']), 'ruby', '-Ilib', '-Itest']
  const test = step([...ruby, '{tools}/test_unit_run.rb', ...files], {
    because,
    command: quoted([...ruby, ...files]),
    environment: { ...environment, ASSAY_JUNIT: '{output}/junit.xml' },
  })
  return {
    framework: 'test-unit',
    ...measuredByRuby(test),
    shuffle: ['--seed', '{seed}'],
    targetCount: files.length,
    reports: ['{output}/junit.xml'],
    ...(await coverageOf(folder)),
    failureExitCodes: [1],
  }
}

/** Test classes of both look alike. The gems decide, and without any, what the tests load. */
async function usesTestUnit(folder: Folder, files: readonly string[]): Promise<boolean> {
  const names = await gemsOf(folder)
  if (folder.has('bin/rails') || names.some((name) => name.startsWith('minitest'))) return false
  if (names.includes('test-unit')) return true
  const helpers = folder.paths.filter((path) => /^test\/(?:\w+_)?helper\.rb$/.test(path))
  const sources = await Promise.all([...helpers, ...files].slice(0, 5).map((path) => folder.read(path)))
  const loads = (library: RegExp) => sources.some((source) => source?.split('\n').some((line) => library.test(line)))
  return loads(/^\s*require[\s(]+["']test[/-]unit["']/) && !loads(/^\s*require[\s(]+["']minitest\b/)
}

/**
 * Ruby measures, unless the project starts a measurement. Assay does not read SimpleCov's own format, but the output of
 * its formatters.
 */
async function coverageOf(folder: Folder): Promise<Pick<TestPlan, 'coverage' | 'notes'>> {
  const names = await gemsOf(folder)
  const own = '{output}/ruby-*.info'
  if (names.includes('simplecov-lcov'))
    return { coverage: ['coverage/lcov/*.lcov', 'coverage/lcov.info', own], notes: [] }
  if (names.includes('simplecov-cobertura')) return { coverage: ['coverage/coverage.xml', own], notes: [] }
  const isUnread = names.includes('simplecov')
  return {
    coverage: [own],
    notes: isUnread ? ['No coverage if the tests start SimpleCov without simplecov-lcov or simplecov-cobertura.'] : [],
  }
}

/** The gems that the Gemfile and the gemspecs name. */
async function gemsOf(folder: Folder): Promise<string[]> {
  const facts = await readManifest(folder, gemfileOf(folder) ?? 'Gemfile', parseGemfile)
  const names: string[] = facts?.dependencies?.map(({ name }) => name) ?? []
  for (const path of folder.paths.filter((path) => /^[^/]+\.gemspec$/.test(path)).slice(0, 20)) {
    const gemspec = await readManifest(folder, path, parseGemspec)
    names.push(...(gemspec?.dependencies?.map(({ name }) => name) ?? []))
  }
  return names
}

/** Adds coverage to a command: Ruby loads the file that measures first. */
function measuredByRuby(test: Step): Pick<TestPlan, 'test' | 'unmeasured'> {
  const { RUBYOPT: own } = test.environment
  const environment = {
    ...test.environment,
    RUBYOPT: `-r{tools}/ruby/assay_coverage.rb${own === undefined ? '' : ` ${own}`}`,
    ASSAY_ROOT: '{root}',
    ASSAY_COVERAGE: '{output}',
  }
  return { test: { ...test, environment }, unmeasured: test }
}

function testFiles(folder: Folder, type: PlanType): string[] {
  const files = folder.paths
    .filter((path) =>
      /^test\/(?:.*\/)?(?:[^/]+_(?:test|spec)|test_(?!helper\.rb$)[^/]+|spec_(?!helper\.rb$)[^/]+)\.rb$/.test(path),
    )
    .toSorted()
  if (files.length === 0 || type === 'ALL') return files
  const folders = foldersOfType(folder, type)
  return files.filter((path) => folders.some((directory) => path.startsWith(`${directory}/`)))
}

function gemfileOf(folder: Folder): string | undefined {
  return ['Gemfile', 'gems.rb'].find((path) => folder.has(path))
}
