import { extensionOf, moduleName } from './paths.ts'

/** Where a new test goes in a project that has no tests to learn from. */
export interface UsualPlace {
  /**
   * `mirror` repeats the folders below the source folder; `flat` does not. `maven` and `dotnet` are the layouts of those
   * build tools. `inside` means that a unit test is part of the source file.
   */
  where: 'beside' | 'mirror' | 'flat' | 'maven' | 'dotnet' | 'inside'
  /** Folder of the tests, for `mirror` and `flat`. */
  folder?: string
  prefix?: string
  suffix: string
}

/** How tests are named and placed in one ecosystem. */
export interface Convention {
  /** As GitHub's linguist names them. */
  languages: readonly string[]
  /** Extensions of source files without the dot. Tests of sources with other extensions get the first one. */
  extensions: readonly string[]

  /** Base names of test files in any folder. */
  name?: RegExp
  /** Base names of test files that count only inside a test folder. */
  nameInFolder?: RegExp
  /** Base names of test files that count only at the top of the repository. */
  nameAtTop?: RegExp
  /** Base names that resemble tests and are none. */
  notTest?: RegExp
  /** Path segments that are a test folder; `anyFolder` by default. */
  folder?: RegExp
  /** A folder that is a test folder only at the top of the repository. */
  topFolder?: string
  /** Folders of product code. Below them, outside of test folders, only `sure` names count. */
  product?: RegExp
  /** Names that also count in product folders. */
  sure?: RegExp
  /** The role of other source files in a test folder: `test` if runners load every file. */
  unnamed: 'test' | 'support'

  /** Test file names. The group `stem` is the name of the source, the rest marks the file as a test. */
  names: readonly RegExp[]
  /** Names that also show their source, read before `names`. New tests are never named like these. */
  alsoNames?: readonly RegExp[]
  /** Tests may have the plain name of their source. */
  plainNames?: true
  /** The part of a new test's name that identifies the source; its file name by default. */
  stemOf?: (path: string) => string
  /** A file is named after its class, so renaming the file means renaming the class. */
  namedAfterClass?: true

  place: UsualPlace
  /** Frameworks with a place of their own. */
  placeFor?: Readonly<Record<string, UsualPlace>>
  /** Whether the compiler requires the usual place, regardless of the project's tests. */
  isFixed?: true
  /** Whether test folders mirror the folders of the package, even if these do not exist yet. */
  repeatsPackage?: true
}

export const anyFolder =
  /^(?:tests?|specs?|e2e|__tests?__|[\w.]+[-_](?:tests|specs)|[Uu]nit-?[Tt]ests?|[Ii]ntegration-?[Tt]ests?)$/i

/** For languages without tests of their own: a data file in a test folder serves the tests. */
const noTests: Convention = {
  languages: [],
  extensions: [],
  unnamed: 'support',
  names: [
    /^(?<stem>.+?)(?:[._-](?:tests?|specs?|e2e|cy)|(?<=[A-Za-z0-9])(?:Tests?|Specs?)|(?<=[a-z0-9])IT)\.\w+$/d,
    /^(?:(?:test|spec)[_-]|Test(?=[A-Z]))(?<stem>.+)\.\w+$/d,
  ],
  place: { where: 'beside', suffix: '_test' },
}

const scriptFolders = {
  notTest: /\.d\.[cm]?ts$|^(?:setup-?tests?|test-?(?:utils?|helpers?|setup|environment))\.[cm]?[jt]sx?$/i,
  folder: /^(?:tests?|specs?|e2e|__tests?__|cypress|[\w.]+[-_](?:tests|e2e)|(?:unit|integration|functional)-?tests?)$/i,
}
const scriptName =
  /(?:\.(?:test|spec|e2e|e2e-spec|cy|test-d|spec-d)|[-_](?:test|spec))\.[cm]?[jt]sx?$|^tests?\.[cm]?[jt]sx?$/

/** Files of these languages are named after the class inside. */
const classNames = {
  names: [/^(?<stem>.+?)(?:Tests?|TestCase|ITCase|(?<=[a-z0-9])IT|Spec)\.\w+$/d, /^Test(?=[A-Z])(?<stem>.+)\.\w+$/d],
  alsoNames: [/^(?<stem>.+?)(?:Integration|Unit)(?:Tests?|TestCase|ITCase|IT|Spec)\.\w+$/],
  namedAfterClass: true,
} as const

const jvm = {
  ...classNames,
  name: /[a-z0-9](?:Tests?|TestCase|ITCase)\.(?:java|kt|groovy|scala)$/,
  nameInFolder: /^Test[A-Z].*\.(?:java|kt|groovy|scala)$|(?:Tests?|IT|Specs?|Suite)\.(?:java|kt|groovy|scala)$/,
  notTest: /^Abstract|^(?:Base|package-info)/,
  folder: /^(?:tests?|javatests|[a-z]+Tests?|jmh)$/,
  product: /(?:^|\/)src\/[a-z]*[mM]ain\//,
  repeatsPackage: true,
} as const

/** The table of ecosystems. A row omits the fields that equal those of `noTests`. */
const rows: (Partial<Convention> & { languages: readonly string[] })[] = [
  {
    languages: ['JavaScript', 'TypeScript', 'TSX'],
    extensions: ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts'],
    name: scriptName,
    ...scriptFolders,
    unnamed: 'test',
    names: [
      /^(?<stem>.+)[._-](?:tests?|specs?|e2e|cy)\.[cm]?[jt]sx?$/d,
      /^(?<stem>.*[a-z0-9])(?:Tests?|Spec)\.[cm]?[jt]sx?$/d,
      /^(?:test|spec)[._-](?<stem>.+)\.[cm]?[jt]sx?$/d,
    ],
    alsoNames: [/^(?<stem>.+)[._-](?:(?:tests?|specs?)-d|unit|integration|it|bench)\.[cm]?[jt]sx?$/],
    plainNames: true,
    place: { where: 'beside', suffix: '.test' },
    placeFor: {
      jasmine: { where: 'mirror', folder: 'spec', suffix: '.spec' },
      mocha: { where: 'mirror', folder: 'test', suffix: '.test' },
      ava: { where: 'mirror', folder: 'test', suffix: '.test' },
    },
  },
  { languages: ['CoffeeScript'], ...scriptFolders, name: /[-_.](?:test|spec)\.coffee$/i, unnamed: 'test' },
  { languages: ['Vue', 'Svelte'], ...scriptFolders, name: scriptName },
  { languages: ['Java'], extensions: ['java'], ...jvm, place: { where: 'maven', suffix: 'Test' } },
  { languages: ['Kotlin'], extensions: ['kt'], ...jvm },
  { languages: ['Groovy'], extensions: ['groovy'], ...jvm },
  { languages: ['Scala'], extensions: ['scala'], ...jvm },
  {
    languages: ['Python'],
    extensions: ['py'],
    name: /^test_.*\.py$|_tests?\.py$|^tests\.py$/,
    nameInFolder: /^test.*\.py$|Tests?\.py$/,
    // A `test.py` inside a package may be part of its product.
    nameAtTop: /^test\.py$/,
    notTest: /^(?:conftest|__init__)\.py$/,
    // A `test` folder inside a package is often part of its product, as in django.test.
    folder: /^(?:tests|[a-z]+_tests|unittests?|testing_tests)$/,
    topFolder: 'test',
    names: [/^tests?_(?<stem>.+)\.py$/d, /^(?<stem>.+)_tests?\.py$/d],
    plainNames: true,
    stemOf: moduleName,
    place: { where: 'flat', folder: 'tests', prefix: 'test_', suffix: '' },
  },
  {
    languages: ['Go'],
    extensions: ['go'],
    name: /_test\.go$/,
    folder: /^(?:tests?|e2e|testdata|testutils?|testing_?helpers?)$/,
    names: [/^(?<stem>.+)_test\.go$/d],
    isFixed: true,
  },
  {
    languages: ['Ruby'],
    extensions: ['rb'],
    name: /_(?:spec|test)\.rb$|^(?:spec|test)_.*\.rb$/,
    notTest: /_helpers?\.rb$|^(?:helper|rails_helper|spec_helper|test_helper)\.rb$/,
    folder: /^(?:tests?|specs?|features)$/,
    product: /(?:^|\/)(?:lib|app)\//,
    sure: /_(?:spec|test)\.rb$/,
    // Rack names its tests `spec_*.rb`.
    names: [/^(?<stem>.+)_(?:spec|test)\.rb$/d, /^(?:spec|test)_(?<stem>.+)\.rb$/d],
    plainNames: true,
    place: { where: 'mirror', folder: 'test', suffix: '_test' },
    placeFor: { rspec: { where: 'mirror', folder: 'spec', suffix: '_spec' } },
  },
  {
    languages: ['Rust'],
    extensions: ['rs'],
    name: /(?:^|_)tests?\.rs$/,
    notTest: /^mod\.rs$/,
    folder: /^tests$/,
    unnamed: 'test',
    names: [/^(?<stem>.+?)_tests?\.rs$/d, /^test_(?<stem>.+)\.rs$/d],
    alsoNames: [/^test_(?<stem>.+?)_tests?\.rs$/],
    plainNames: true,
    place: { where: 'inside', suffix: '' },
    isFixed: true,
  },
  {
    languages: ['PHP'],
    extensions: ['php'],
    ...classNames,
    name: /Cest\.php$|\.phpt$/,
    nameInFolder: /(?:Test|Spec)\.php$/,
    folder: /^(?:tests?|specs?|features)$/i,
    plainNames: true,
    place: { where: 'mirror', folder: 'tests', suffix: 'Test' },
  },
  {
    languages: ['C#'],
    extensions: ['cs'],
    ...classNames,
    name: /[A-Za-z0-9](?:Tests|Specs|Facts)\.cs$/,
    nameInFolder: /[A-Za-z0-9](?:Test|Spec|Should|Scenarios?)\.cs$/,
    notTest: /^(?:GlobalUsings|AssemblyInfo)\.cs$/,
    folder: /^(?:tests?|specs?|e2e)$|[a-z.](?:Tests|Specs|Test)$/i,
    place: { where: 'dotnet', suffix: 'Tests' },
  },
  { languages: ['F#'], name: /(?:Tests?|Specs?)\.fs$/, folder: /^tests?$|\.Tests?$/i },
  { languages: ['Visual Basic .NET'], name: /Tests?\.vb$/, folder: /^tests?$|\.Tests?$/i },
  { languages: ['Swift'], name: /Tests?\.swift$|Spec\.swift$/, folder: /^(?:\w*Tests|\w*UITests)$/ },
  { languages: ['Dart'], name: /_test\.dart$/, folder: /^(?:test|integration_test)$/ },
  { languages: ['Elixir'], name: /_test\.exs$/, folder: /^test$/ },
  { languages: ['Erlang'], name: /(?:_SUITE|_tests)\.erl$/, folder: /^test$/ },
  { languages: ['Clojure'], name: /_test\.clj[cs]?$/, folder: /^test$/ },
  { languages: ['Haskell'], name: /(?:Spec|Tests?)\.hs$/, folder: /^(?:tests?|spec)$/ },
  { languages: ['Lua'], name: /_(?:spec|test)\.lua$/, folder: /^(?:tests?|spec)$/ },
  { languages: ['Perl'], name: /\.t$/, folder: /^(?:t|xt)$/ },
  { languages: ['R'], name: /^test[-_.].*\.[rR]$/, folder: /^(?:tests|testthat)$/ },
  { languages: ['Julia'], name: /^runtests\.jl$|^test_.*\.jl$/, folder: /^test$/, unnamed: 'test' },
  {
    languages: ['C', 'C++', 'Objective-C', 'Objective-C++'],
    name: /[-_](?:unit)?tests?\.(?:c|cc|cpp|cxx|m|mm)$|[a-z]Tests?\.(?:c|cc|cpp|cxx|m|mm)$/,
    nameInFolder: /^test[-_]/i,
    notTest: /\.(?:h|hh|hpp|hxx)$/,
    folder: /^(?:tests?|unittests?|gtests?)$/i,
    unnamed: 'test',
  },
  { languages: ['Shell'], name: /\.bats$|[-_]test\.sh$|^test[-_].*\.sh$/ },
  { languages: ['Gherkin'], name: /\.feature$/ },
  { languages: ['RobotFramework'], name: /\.robot$/ },
]

const conventions = rows.map((row): Convention => ({ ...noTests, ...row }))
const byLanguage = new Map(conventions.flatMap((row) => row.languages.map((language) => [language, row] as const)))
const byExtension = new Map(conventions.flatMap((row) => row.extensions.map((extension) => [extension, row] as const)))

/** Languages that have a convention of their own. */
export const languagesWithTests = [...byLanguage.keys()]

export const conventionOf = (language: string): Convention => byLanguage.get(language) ?? noTests

/** Returns the convention of a file's extension, else that of its language. */
export const conventionFor = (path: string, language = ''): Convention =>
  byExtension.get(extensionOf(path)) ?? conventionOf(language)
