import { conventionFor } from './conventions.ts'

/** Frameworks that run tests and that tests are written for. `outline` stands for a language without any of them. */
export type TestFramework =
  | 'vitest'
  | 'jest'
  | 'mocha'
  | 'node:test'
  | 'ava'
  | 'jasmine'
  | 'tape'
  | 'tap'
  | 'uvu'
  | 'qunit'
  | 'bun:test'
  | 'pytest'
  | 'unittest'
  | 'go test'
  | 'cargo test'
  | 'junit'
  | 'junit4'
  | 'testng'
  | 'rspec'
  | 'minitest'
  | 'test-unit'
  | 'phpunit'
  | 'pest'
  | 'xunit'
  | 'nunit'
  | 'mstest'
  | 'outline'

export type BrowserFramework = 'playwright' | 'cypress'

const scripts = [
  'node:test',
  'vitest',
  'jest',
  'mocha',
  'ava',
  'jasmine',
  'tape',
  'tap',
  'uvu',
  'qunit',
  'bun:test',
] as const

const jvm = ['junit', 'junit4', 'testng'] as const

type Frameworks = readonly [TestFramework, ...TestFramework[]]

/** By language, the default first: the one that needs no installation, or else the most common one. */
const frameworksOf: Readonly<Record<string, Frameworks>> = {
  JavaScript: scripts,
  Vue: scripts,
  Python: ['unittest', 'pytest'],
  Go: ['go test'],
  Java: jvm,
  Kotlin: jvm,
  Groovy: jvm,
  Scala: jvm,
  Ruby: ['minitest', 'rspec', 'test-unit'],
  Rust: ['cargo test'],
  PHP: ['phpunit', 'pest'],
  'C#': ['xunit', 'nunit', 'mstest'],
}

/** Returns the frameworks for a file, the default first. */
export function frameworksFor(path: string, language?: string): Frameworks {
  const [family = ''] = conventionFor(path, language).languages
  return (Object.hasOwn(frameworksOf, family) ? frameworksOf[family] : undefined) ?? ['outline']
}

/** Other spellings, reduced to letters and digits. */
const aliases: Record<string, TestFramework | BrowserFramework> = {
  node: 'node:test',
  noderunner: 'node:test',
  bun: 'bun:test',
  gotesting: 'go test',
  testing: 'go test',
  cargo: 'cargo test',
  rusttest: 'cargo test',
  libtest: 'cargo test',
  junit5: 'junit',
  junitjupiter: 'junit',
  orgjunitjupiter: 'junit',
  xunitnet: 'xunit',
  mstesttestframework: 'mstest',
  pestphp: 'pest',
  playwrighttest: 'playwright',
  railstest: 'minitest',
  borp: 'node:test',
  nextest: 'cargo test',
  nodetap: 'tap',
}

const reduce = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const canonical = new Map<string, TestFramework | BrowserFramework>([
  ...Object.values(frameworksOf)
    .flat()
    .map((name) => [reduce(name), name] as const),
  ['playwright', 'playwright'],
  ['cypress', 'cypress'],
  ...Object.entries(aliases),
])

export interface NamedFramework {
  name: string
  confidence: number
}

export interface FrameworkChoice {
  framework: TestFramework
  /** True if the project is known to use it; false for the language's default. */
  known: boolean
}

/** Usual names of test files, for frameworks that differ in them. */
const conventions: Partial<Record<TestFramework, RegExp>> = {
  jasmine: /(^|\/)specs?\/|spec\.[cm]?[jt]sx?$/i,
  mocha: /(^|\/)tests?\/(?!(?:.*\/)?specs?\/)(?!.*[._-]?spec\.[a-z]+$)/i,
  vitest: /\.(test|spec)\.[a-z]+$|(^|\/)__tests__\//,
  jest: /\.(test|spec)\.[a-z]+$|(^|\/)__tests__\//,
  'node:test': /\.test\.[a-z]+$|(^|\/)test\//,
  'bun:test': /\.test\.[a-z]+$/,
  ava: /\.test\.[a-z]+$|(^|\/)test\//,
  rspec: /_spec\.rb$/,
  minitest: /(_test|(^|\/)(test|spec)_[^/]*)\.rb$/,
  'test-unit': /(_test|(^|\/)test_[^/]*)\.rb$/,
}

/** Below this, a framework is a guess that gives way to any better one. */
const likely = 0.5

/** Returns the framework of this name in any spelling, if it can test the file. */
export function frameworkNamed(name: string, path: string, language?: string): TestFramework | undefined {
  return frameworksFor(path, language).find((framework) => framework === canonical.get(reduce(name)))
}

/**
 * Chooses a framework for a file: the requested one, else the one with the highest confidence in the project, else the
 * default of the language. If several are equal, the name of the nearest test decides.
 */
export function chooseFramework(
  { path, language }: { path: string; language?: string | undefined },
  named: readonly NamedFramework[],
  { wanted, nearestTest }: { wanted?: string | undefined; nearestTest?: string | undefined } = {},
): FrameworkChoice {
  const [usual, ...others] = frameworksFor(path, language)
  if (others.length === 0) return { framework: usual, known: usual !== 'outline' }

  const read = (name: string) => frameworkNamed(name, path, language)
  const wish = wanted === undefined ? undefined : read(wanted)
  if (wish) return { framework: wish, known: true }

  const found = named.flatMap(({ name, confidence }) => {
    const framework = read(name)
    return framework ? [{ framework, confidence }] : []
  })
  const highest = Math.max(...found.map((entry) => entry.confidence))
  const equals = found.filter(({ confidence }) => confidence === highest).map((entry) => entry.framework)
  const alike = equals.find((framework) => conventions[framework]?.test(nearestTest ?? ''))
  const best = alike ?? equals[0]
  return best ? { framework: best, known: true } : { framework: usual, known: false }
}

/** Returns the browser test framework of the project, if it has one. */
export function browserFramework(named: readonly NamedFramework[], wanted?: string): BrowserFramework | undefined {
  const hasLikely = named.some((entry) => entry.confidence >= likely)
  const names = named
    .filter((entry) => !hasLikely || entry.confidence >= likely)
    .toSorted((a, b) => b.confidence - a.confidence)
    .map((entry) => entry.name)
  return (wanted === undefined ? names : [wanted, ...names])
    .map((name) => canonical.get(reduce(name)))
    .find((framework) => framework === 'playwright' || framework === 'cypress')
}
