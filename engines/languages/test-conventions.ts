/** How a language's tests are named and where they lie. */
export interface TestConvention {
  /** Base names of files that hold tests, wherever they lie. */
  name?: RegExp
  /** Base names that count inside a test folder only, since elsewhere they may be anything. */
  nameInFolder?: RegExp
  /** Base names that never are tests, though they look like it. */
  notTest?: RegExp
  /** Path segments that are a test folder; `anyFolder` by default. */
  folder?: RegExp
  /** Below these, unless they lie in a test folder themselves, only `sure` names count: it is the product's code. */
  product?: RegExp
  /** Names that count even there. */
  sure?: RegExp
  /** What a source file in a test folder is when its name says nothing: the runner takes every file, or it does not. */
  unnamed: 'test' | 'support'
}

export const anyFolder =
  /^(?:tests?|specs?|e2e|__tests?__|[\w.]+[-_](?:tests|specs)|[Uu]nit-?[Tt]ests?|[Ii]ntegration-?[Tt]ests?)$/i

const script: TestConvention = {
  name: /(?:\.(?:test|spec|e2e|e2e-spec|cy|test-d|spec-d)|[-_](?:test|spec))\.[cm]?[jt]sx?$|^tests?\.[cm]?[jt]sx?$/,
  notTest: /\.d\.[cm]?ts$|^(?:setup-?tests?|test-?(?:utils?|helpers?|setup|environment))\.[cm]?[jt]sx?$/i,
  folder: /^(?:tests?|specs?|e2e|__tests?__|cypress|[\w.]+[-_](?:tests|e2e)|(?:unit|integration|functional)-?tests?)$/i,
  unnamed: 'test',
}

const jvm: TestConvention = {
  name: /[a-z0-9](?:Tests?|TestCase|ITCase)\.(?:java|kt|groovy|scala)$/,
  nameInFolder: /^Test[A-Z].*\.(?:java|kt|groovy|scala)$|(?:Tests?|IT|Specs?|Suite)\.(?:java|kt|groovy|scala)$/,
  notTest: /^Abstract|^(?:Base|package-info)/,
  folder: /^(?:tests?|javatests|[a-z]+Tests?|jmh)$/,
  product: /(?:^|\/)src\/[a-z]*[mM]ain\//,
  unnamed: 'support',
}

const native: TestConvention = {
  name: /[-_](?:unit)?tests?\.(?:c|cc|cpp|cxx|m|mm)$|[a-z]Tests?\.(?:c|cc|cpp|cxx|m|mm)$/,
  nameInFolder: /^test[-_]/i,
  notTest: /\.(?:h|hh|hpp|hxx)$/,
  folder: /^(?:tests?|unittests?|gtests?)$/i,
  unnamed: 'test',
}

const byLanguage: Record<string, TestConvention> = {
  JavaScript: script,
  TypeScript: script,
  TSX: script,
  CoffeeScript: { ...script, name: /[-_.](?:test|spec)\.coffee$/i },
  Vue: { ...script, unnamed: 'support' },
  Svelte: { ...script, unnamed: 'support' },
  Java: jvm,
  Kotlin: jvm,
  Groovy: jvm,
  Scala: jvm,
  Python: {
    name: /^test_.*\.py$|_tests?\.py$|^tests\.py$/,
    nameInFolder: /^test.*\.py$|Tests?\.py$/,
    notTest: /^(?:conftest|__init__)\.py$/,
    // A package's own `test` folder is often part of what it offers, as in django.test.
    folder: /^(?:tests|[a-z]+_tests|unittests?|testing_tests)$/,
    unnamed: 'support',
  },
  Go: { name: /_test\.go$/, folder: /^(?:tests?|e2e|testdata|testutils?|testing_?helpers?)$/, unnamed: 'support' },
  Ruby: {
    name: /_(?:spec|test)\.rb$|^(?:spec|test)_.*\.rb$/,
    notTest: /_helpers?\.rb$|^(?:helper|rails_helper|spec_helper|test_helper)\.rb$/,
    folder: /^(?:tests?|specs?|features)$/,
    product: /(?:^|\/)(?:lib|app)\//,
    sure: /_(?:spec|test)\.rb$/,
    unnamed: 'support',
  },
  Rust: { name: /(?:^|_)tests?\.rs$/, notTest: /^mod\.rs$/, folder: /^tests$/, unnamed: 'test' },
  PHP: {
    name: /Cest\.php$|\.phpt$/,
    nameInFolder: /(?:Test|Spec)\.php$/,
    folder: /^(?:tests?|specs?|features)$/i,
    unnamed: 'support',
  },
  'C#': {
    name: /[A-Za-z0-9](?:Tests|Specs|Facts)\.cs$/,
    nameInFolder: /[A-Za-z0-9](?:Test|Spec|Should|Scenarios?)\.cs$/,
    notTest: /^(?:GlobalUsings|AssemblyInfo)\.cs$/,
    folder: /^(?:tests?|specs?|e2e)$|[a-z.](?:Tests|Specs|Test)$/i,
    unnamed: 'support',
  },
  'F#': { name: /(?:Tests?|Specs?)\.fs$/, folder: /^tests?$|\.Tests?$/i, unnamed: 'support' },
  'Visual Basic .NET': { name: /Tests?\.vb$/, folder: /^tests?$|\.Tests?$/i, unnamed: 'support' },
  Swift: { name: /Tests?\.swift$|Spec\.swift$/, folder: /^(?:\w*Tests|\w*UITests)$/, unnamed: 'support' },
  Dart: { name: /_test\.dart$/, folder: /^(?:test|integration_test)$/, unnamed: 'support' },
  Elixir: { name: /_test\.exs$/, folder: /^test$/, unnamed: 'support' },
  Erlang: { name: /(?:_SUITE|_tests)\.erl$/, folder: /^test$/, unnamed: 'support' },
  Clojure: { name: /_test\.clj[cs]?$/, folder: /^test$/, unnamed: 'support' },
  Haskell: { name: /(?:Spec|Tests?)\.hs$/, folder: /^(?:tests?|spec)$/, unnamed: 'support' },
  Lua: { name: /_(?:spec|test)\.lua$/, folder: /^(?:tests?|spec)$/, unnamed: 'support' },
  Perl: { name: /\.t$/, folder: /^(?:t|xt)$/, unnamed: 'support' },
  R: { name: /^test[-_.].*\.[rR]$/, folder: /^(?:tests|testthat)$/, unnamed: 'support' },
  Julia: { name: /^runtests\.jl$|^test_.*\.jl$/, folder: /^test$/, unnamed: 'test' },
  C: native,
  'C++': native,
  'Objective-C': native,
  'Objective-C++': native,
  Shell: { name: /\.bats$|[-_]test\.sh$|^test[-_].*\.sh$/, unnamed: 'support' },
  Gherkin: { name: /\.feature$/, unnamed: 'support' },
  RobotFramework: { name: /\.robot$/, unnamed: 'support' },
}

/** For languages without tests of their own: data in a test folder serves the tests. */
const noTests: TestConvention = { unnamed: 'support' }

const conventions = new Map(Object.entries(byLanguage))

/** Languages that have a convention of their own. */
export const languagesWithTests = Object.keys(byLanguage)

export function conventionOf(language: string): TestConvention {
  return conventions.get(language) ?? noTests
}
