import { basename } from 'node:path/posix'
import { notWholly, patternOf, titlesOf, wholly, wordsOf } from './full-names.ts'
import { escaped, pytestId, type SelectedTest } from './selectors.ts'

/** How a framework leaves single tests out of a run. */
export interface Exclusion {
  /** Returns why this command cannot leave out tests in addition; null if it can. */
  obstacle?: (argv: readonly string[]) => string | null
  /** Whether the arguments can name the test at all. */
  canName?: (test: SelectedTest) => boolean
  /** Returns the name under which the arguments leave the test out. Absent if no other test can have it. */
  key?: (test: SelectedTest) => string
  /** Returns all names by which a run could find the test or what is around it; `key` alone if absent. Null: too many. */
  keys?: (test: SelectedTest) => string[] | null
  /** Returns the suites that the runner would report as tests if nothing in them ran. */
  suites?: (test: SelectedTest) => string[]
  /** Makes what the arguments say about one test. */
  word: (test: SelectedTest) => string
  /** Makes the options from the words, in front of the targets. */
  options: (words: readonly string[]) => string[]
  /** Makes the options that a person would type, if they differ. */
  typed?: (tests: readonly SelectedTest[]) => string[]
  environment?: (words: readonly string[], before: Readonly<Record<string, string>>) => Record<string, string>
  /** For an option that older versions end at: a command for a shell that tells whether this version has it. */
  since?: { option: string; probe: string; version: string }
}

const byTitle: Pick<Exclusion, 'key' | 'word' | 'canName'> = {
  canName: ({ name }) => wordsOf(name).length > 0,
  key: (test) => words(test).join(' '),
  word: (test) => patternOf(words(test)),
}

/** By the framework's name in a plan. */
export const exclusions: Readonly<Record<string, Exclusion>> = {
  vitest: {
    ...byTitle,
    obstacle: without(/^(?:-t|--test-?name-?pattern\b)/i),
    options: (alternatives) => ['-t', notWholly(alternatives)],
  },
  jest: {
    ...byTitle,
    obstacle: without(/^(?:-t|--test-?name-?pattern\b)/i),
    // Jest ignores case.
    key: (test) => words(test).join(' ').toUpperCase(),
    options: (alternatives) => ['-t', notWholly(alternatives)],
  },
  mocha: {
    ...byTitle,
    obstacle: without(/^(?:-[gfi]|--f?grep\b|--invert\b)/),
    options: (alternatives) => ['--grep', wholly(alternatives), '--invert'],
  },
  'node:test': {
    ...byTitle,
    keys: titleRanges,
    suites: (test) => {
      const titles = titlesOf(test).slice(0, -1)
      return titles.map((_, index) => JSON.stringify([test.file, ...titles.slice(0, index + 1)]))
    },
    options: (alternatives) => [`--test-skip-pattern=${wholly(alternatives)}`],
    since: {
      option: '--test-skip-pattern',
      probe: 'node --help 2>/dev/null | grep -q -e --test-skip-pattern',
      version: 'Node 22.1',
    },
  },
  playwright: {
    obstacle: without(/^(?:-gv|--grep-invert\b)/),
    canName: ({ name, file }) => file !== null && playwrightWords(name).length > 0,
    // The order is lost, because a report does not tell a Playwright project from a suite. Playwright ignores case.
    key: ({ suite, name, file }) =>
      [...suite.split(' > '), basename(file ?? ''), name]
        .flatMap(playwrightWords)
        .map((word) => word.slice(word.lastIndexOf('/') + 1).toUpperCase())
        .toSorted()
        .join(' '),
    word: playwrightPattern,
    options: (alternatives) => ['--grep-invert', String.raw`^\s*${tags}(?:${alternatives.join('|')})(?:\s+@\S+)*\s*$`],
  },
  pytest: {
    // `--deselect` would also leave out tests whose names begin alike, so a plugin compares whole names.
    word: ({ suite, name }) => JSON.stringify([suite, name]),
    options: () => ['-p', 'assay_leave_out'],
    typed: (tests) => tests.flatMap((test) => ['--deselect', pytestId(test, test.file ?? '')]),
    environment: (pairs, { PYTHONPATH: before }) => ({
      ASSAY_LEAVE_OUT: `[${pairs.join(',')}]`,
      PYTHONPATH: before === undefined ? '{tools}/pytest' : `${before}:{tools}/pytest`,
    }),
  },
  'go test': {
    obstacle: without(/^--?skip\b/),
    canName: ({ name }) => name !== 'package',
    key: ({ name }) => name,
    // A pattern for a test also matches its sub-tests.
    keys: ({ name }) => {
      const parts = name.split('/')
      return parts.length > maxDepth ? null : parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    },
    word: ({ name }) =>
      name
        .split('/')
        .map((part) => `^${escaped(part)}$`)
        .join('/'),
    options: (patterns) => [`-skip=${patterns.join('|')}`],
    since: { option: '-skip', probe: "go help testflag 2>/dev/null | grep -q -e '-skip '", version: 'Go 1.20' },
  },
  'cargo test': {
    obstacle: (argv) =>
      argv.includes('--') || hasCargoFilter(argv) ? 'The command selects tests, which Assay cannot combine.' : null,
    // Programs with other names are no tests of functions. A test in documentation has a place instead of a name.
    canName: ({ suite, name }) => /^[\p{L}\p{N}_:#]+$/u.test(name) && !suite.endsWith(' doc-tests'),
    key: ({ name }) => name,
    word: ({ name }) => name,
    options: (names) => ['--', '--exact', ...names.flatMap((name) => ['--skip', name])],
  },
  phpunit: {
    obstacle: (argv) =>
      argv.some((word) => /(?:^|\/)pest$/.test(word))
        ? 'Pest gives tests other names than its reports.'
        : without(/^--(?:filter|exclude-filter)\b/)(argv),
    canName: ({ suite, name }) => /^[\p{L}\p{N}_\\]+$/u.test(suite) && name !== '',
    key: (test) => phpName(test).replaceAll(/\s+/g, ' '),
    word: (test) =>
      escaped(phpName(test))
        .replaceAll('/', String.raw`\/`)
        .replaceAll(/\s+/g, String.raw`\s+`),
    options: (names) => ['--filter', String.raw`/^(?!(?:${names.join('|')})\z)/`],
  },
  'dotnet test': {
    obstacle: without(/^--(?:filter\b|$)/),
    // The cases of a theory share the name of their method.
    canName: ({ suite, name }) => /^[\w.]+$/.test(suite) && /^\w+$/.test(name),
    key: (test) => dotnetName(test).toUpperCase(),
    keys: (test) => [
      dotnetName(test)
        .replace(/[\s(].*$/s, '')
        .toUpperCase(),
    ],
    word: (test) => `FullyQualifiedName!=${dotnetName(test)}`,
    options: (conditions) => ['--filter', conditions.join('&')],
  },
}

/** Why these cannot leave out single tests. */
export const unable: Readonly<Record<string, string>> = {
  maven: 'With -Dtest, Maven would also run tests that the build excludes.',
  gradle: 'Gradle has no option that leaves out tests.',
  rspec: 'With --example-matches, RSpec would also run examples that the project excludes.',
}

const maxDepth = 20

function words(test: SelectedTest): string[] {
  return wordsOf(titlesOf(test).join(' '))
}

/** Node compares a pattern with the own title of a test, of each suite around it, and with the titles up to them. */
function titleRanges(test: SelectedTest): string[] | null {
  const titles = titlesOf(test)
  if (titles.length > maxDepth) return null
  return titles.flatMap((_, from) =>
    titles.slice(from).map((_title, length) => wordsOf(titles.slice(from, from + length + 1).join(' ')).join(' ')),
  )
}

function without(option: RegExp) {
  return (argv: readonly string[]): string | null => {
    const own = argv.find((word) => option.test(word))
    return own === undefined ? null : `The command has the option ${own.split('=')[0]}, which Assay cannot combine.`
  }
}

/** Tags follow titles, in whatever place they were given. */
const tags = String.raw`(?:(?:>|@\S+)\s+)*`

function playwrightWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '' && word !== '>' && !word.startsWith('@'))
}

/** Playwright compares with its project, the file, the titles and the tags. The project may have no name. */
function playwrightPattern({ suite, name, file }: SelectedTest): string {
  const between = String.raw`\s+${tags}`
  const [first = [], ...inner] = [...suite.split(' > '), name].map((title) => playwrightWords(title).map(escaped))
  const titles = inner.flat()
  const path = endsOf(file ?? '')
  const start =
    first.length === 0 ? [path] : [`(?:${[path, ...first].join(between)}|${[...first, path].join(between)})`]
  return [...start, ...titles].join(between)
}

/** Returns a pattern for a path that is relative to one of the folders above it. */
function endsOf(file: string): string {
  const [first = '', ...rest] = file.split('/').map((part) => escaped(part).replaceAll(/\s+/g, String.raw`\s+`))
  return rest.reduce((before, part) => `(?:${before}/)?${part}`, first)
}

const cargoValued =
  /^(?:-[pjF]|--(?:package|test|bin|example|bench|features|manifest-path|target|target-dir|profile|jobs|exclude|color|message-format|config))$/

function hasCargoFilter(argv: readonly string[]): boolean {
  const args = argv.slice(argv.indexOf('cargo') + 2)
  return args.some((word, index) => !/^[-+]/.test(word) && !cargoValued.test(args[index - 1] ?? ''))
}

const phpName = ({ suite, name }: SelectedTest) => `${suite}::${name}`

const dotnetName = ({ suite, name }: SelectedTest) => `${suite}.${name}`
