import type { Selection } from './plan.ts'

export type SelectedTest = Selection['tests'][number]

/** Options go before the targets. */
export interface Narrowing {
  options: string[]
  targets: string[]
}

/** Makes the arguments with which a framework runs only these files, folders and tests. */
type Selector = (paths: readonly string[], tests: readonly SelectedTest[]) => Narrowing

/** The option of pytest-cov that fails a run with little coverage. */
export const coverageThreshold = /^--cov-fail-under(?:=|$)/

/** By the framework's name in a plan. A selection may run more than was asked for, never less. */
export const selectors: Readonly<Record<string, Selector>> = {
  // Vitest 5 joins titles with ` > `, earlier versions and all others with a space.
  vitest: byTitle((pattern) => ['-t', pattern], { joint: '(?: >)? ' }),
  jest: byTitle((pattern) => ['-t', pattern], { target: escaped }),
  mocha: byTitle((pattern) => ['--grep', pattern]),
  ava: (paths, tests) => ({
    options: paths.length > 0 ? [] : tests.flatMap(({ name }) => ['--match', name]),
    targets: filesOf(paths, tests),
  }),
  jasmine: (paths, tests) => ({ options: [], targets: filesOf(paths, tests) }),
  borp: (paths, tests) => ({ options: [], targets: filesOf(paths, tests) }),
  tape: (paths, tests) => ({ options: [], targets: filesOf(paths, tests) }),
  tap: (paths, tests) => ({ options: [], targets: filesOf(paths, tests) }),
  'node:test': (paths, tests) => ({
    options:
      paths.length > 0 ? [] : tests.map(({ suite, name }) => `--test-name-pattern=^${escaped(words(suite, name))}$`),
    targets: filesOf(paths, tests).map((path) => (/\.\w+$/.test(path) ? path : `${path}/**/*.test.*`)),
  }),
  playwright: (paths, tests) => {
    const titles = tests.map(({ suite, name }) => escaped(words(suite, name)))
    return {
      options: paths.length > 0 || titles.length === 0 ? [] : ['--grep', titles.join('|')],
      targets: filesOf(paths, tests).map(escaped),
    }
  },
  pytest: (paths, tests) => {
    const nameless = tests.filter(({ file }) => file === null).map(({ name }) => name.replace(/\[.*$/s, ''))
    return {
      // A filter would also apply to the paths.
      options:
        nameless.length > 0 && nameless.length === tests.length && paths.length === 0
          ? ['-k', unique(nameless).join(' or ')]
          : [],
      targets: unique([...paths, ...tests.flatMap((test) => (test.file ? [pytestId(test, test.file)] : []))]),
    }
  },
  unittest: (paths, tests) => ({ options: [], targets: unique([...paths, ...tests.map(unittestName)]) }),
  'go test': (paths, tests) => {
    const packages = tests.map(({ suite, file }) =>
      file ? packageOf(file) : /[./]/.test(suite) ? (suite.split(' > ')[0] ?? suite) : './...',
    )
    const all = unique([...paths.map(packageOf), ...packages])
    return {
      // The name of a package that did not compile selects all of its tests.
      options: tests.length > 0 && paths.length === 0 && !tests.some(isGoPackage) ? ['-run', goPattern(tests)] : [],
      targets: all.length > 0 ? all : ['./...'],
    }
  },
  'cargo test': (paths, tests) => {
    const programs = paths.map((path) => /(?:^|\/)tests\/([\w-]+)\.rs$/.exec(path)?.[1])
    const options = programs.includes(undefined) ? [] : programs.flatMap((name) => ['--test', name ?? ''])
    return {
      options,
      targets:
        tests.length > 0 && paths.length === 0 && !tests.some(isCargoProgram) ? ['--', ...cargoFilters(tests)] : [],
    }
  },
  nextest: (paths, tests) => ({ options: [], targets: paths.length > 0 ? [] : unique(tests.map(({ name }) => name)) }),
  maven: (paths, tests) => ({
    options: [
      `-Dtest=${unique([...paths.map(classOfFile), ...tests.map((test) => `${classOf(test)}#${methodOf(test)}`)]).join(',')}`,
      '-DfailIfNoTests=false',
      '-Dsurefire.failIfNoSpecifiedTests=false',
    ],
    targets: [],
  }),
  gradle: (paths, tests) => ({
    options: [],
    targets: unique([
      ...paths.map((path) => `*.${classOfFile(path)}`),
      ...tests.map((test) => `${classOf(test)}.${methodOf(test)}`),
    ]).flatMap((name) => ['--tests', name]),
  }),
  rspec: (paths, tests) => ({
    options: paths.length > 0 ? [] : tests.flatMap(({ suite, name }) => ['--example', words(suite, name)]),
    targets: filesOf(paths, tests),
  }),
  minitest: byRubyName,
  'test-unit': byRubyName,
  phpunit: (paths, tests) => {
    const [only] = paths
    if (only !== undefined && paths.length === 1 && tests.length === 0) return { options: [], targets: [only] }
    const patterns = [...paths.map((path) => `${escaped(classOfFile(path))}::`), ...tests.map(phpPattern)]
    return { options: ['--filter', betweenSlashes(unique(patterns).join('|'))], targets: [] }
  },
  'dotnet test': (paths, tests) => {
    const names = [...paths.map(classOfFile), ...tests.map((test) => `${classOf(test)}.${methodOf(test)}`)]
    return {
      options: [
        '--filter',
        unique(names)
          .map((name) => `FullyQualifiedName~${name}`)
          .join('|'),
      ],
      targets: [],
    }
  },
}

/** A filter on titles would also apply to the paths, so it is omitted if there are any. */
function byTitle(
  option: (pattern: string) => string[],
  { joint = ' ', target = (path) => path }: { joint?: string; target?: (path: string) => string } = {},
): Selector {
  return (paths, tests) => {
    const titles = unique(tests.map((test) => titlesOf(test).map(escaped).join(joint)))
    const pattern = titles.length === 1 ? `^${titles[0]}$` : `^(?:${titles.join('|')})$`
    return {
      options: paths.length > 0 || titles.length === 0 ? [] : option(pattern),
      targets: filesOf(paths, tests).map(target),
    }
  }
}

function byRubyName(paths: readonly string[], tests: readonly SelectedTest[]): Narrowing {
  const names = unique(tests.map(({ name }) => escaped(name))).join('|')
  // Ruby reads options before the files as its own options.
  const only = paths.length > 0 || tests.length === 0 ? [] : ['-n', betweenSlashes(`^(?:${names})$`)]
  return { options: [], targets: [...filesOf(paths, tests), ...only] }
}

/** Returns the files to select; none if a test has no file, because that test would not run. */
function filesOf(paths: readonly string[], tests: readonly SelectedTest[]): string[] {
  if (tests.some(({ file }) => file === null)) return []
  return unique([...paths, ...tests.flatMap(({ file }) => file ?? [])])
}

const titlesOf = ({ suite, name }: Pick<SelectedTest, 'suite' | 'name'>): string[] =>
  [...suite.split(' > '), name].filter((title) => title !== '')

const words = (suite: string, name: string): string => titlesOf({ suite, name }).join(' ')

export function pytestId({ suite, name }: SelectedTest, file: string): string {
  return [file, ...classesOf(suite, file), name].join('::')
}

function unittestName({ suite, name, file }: SelectedTest): string {
  // A module that cannot be imported.
  const method = name === 'import' ? '' : name.replace(/[ ([].*$/s, '')
  const module = file ? moduleOf(file).split('.') : []
  return [...module, ...(file ? classesOf(suite, file) : suite.split(/ > |\./)), method]
    .filter((part) => part !== '')
    .join('.')
}

/** Reports name classes with their module, `tests.test_a.TestA`, or without. */
function classesOf(suite: string, file: string): string[] {
  const dotted = suite.split(' > ').join('.')
  const module = moduleOf(file)
  const end = [module, module.slice(module.lastIndexOf('.') + 1)].find(
    (name) => dotted === name || dotted.startsWith(`${name}.`),
  )
  const own = end === undefined ? dotted : dotted.slice(end.length + 1)
  return own.split('.').filter((part) => part !== '')
}

function moduleOf(file: string): string {
  return file.replace(/\.py$/, '').replaceAll('/', '.')
}

function packageOf(path: string): string {
  const folder = path.endsWith('.go') ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : path
  return folder === '' ? '.' : path.endsWith('.go') ? `./${folder}` : `./${folder}/...`
}

function classOfFile(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
}

function classOf({ suite, file }: SelectedTest): string {
  return suite === '' && file ? classOfFile(file) : (suite.split(' > ').at(-1) ?? suite)
}

/** Removes the part of a name that distinguishes the cases of a parameterized test. */
function methodOf({ name }: SelectedTest): string {
  return name.replace(/[\s([{].*$/s, '')
}

function phpPattern({ suite, name }: SelectedTest): string {
  return `${escaped(suite.split(/ > |\\/).at(-1) ?? '')}::${escaped(name)}$`
}

function isGoPackage({ name }: SelectedTest): boolean {
  return name === 'package'
}

/** Go matches each level of sub-tests separately. A test without sub-tests runs regardless of deeper patterns. */
function goPattern(tests: readonly SelectedTest[]): string {
  const levels: string[][] = []
  for (const { name } of tests) {
    for (const [depth, part] of name.split('/').entries()) (levels[depth] ??= []).push(escaped(part))
  }
  return levels.map((parts) => anchored(unique(parts))).join('/')
}

/** The name of a program that did not compile or died selects all of its tests. */
function isCargoProgram({ name }: SelectedTest): boolean {
  return name === 'build' || name === 'program' || name === 'failed tests'
}

/** Names of documentation tests have spaces, at which rustdoc cuts them. */
function cargoFilters(tests: readonly SelectedTest[]): string[] {
  const names = unique(tests.map(({ name }) => name))
  return names.some((name) => name.includes(' ')) ? names : ['--exact', ...names]
}

function anchored(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? `^${alternatives[0]}$` : `^(${alternatives.join('|')})$`
}

/** Returns a pattern for the text itself. */
export function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

/** For frameworks that want the pattern between slashes. */
function betweenSlashes(pattern: string): string {
  return `/${pattern.replaceAll('/', String.raw`\/`)}/`
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
