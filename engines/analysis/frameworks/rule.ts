import type { Ecosystem } from '../../manifests/manifest.ts'

export type FrameworkKind = 'framework' | 'test' | 'build'

/** How a framework shows in a repository. A name may have rules in several ecosystems. */
export interface FrameworkRule {
  name: string
  ecosystem: Ecosystem
  kind: FrameworkKind
  /** Package names as manifests have them; a `*` at the end stands for anything. */
  dependencies: string[]
  /** What source files import; what lies below (`flask.views`, `rack/utils`) counts as well unless it ends in `$`. */
  imports: string[]
  /** Base names, or paths with a slash, of files that nothing else has; `*` at the end is a script's extension. */
  configs: string[]
  /** Settings inside other manifests; see `Manifest.settings`. */
  settings: string[]
  /** Commands in a manifest's scripts. */
  scripts?: RegExp
  /** Base names of test files that only this framework runs. */
  testFiles?: RegExp
  /** Paths that are a hint and no more. */
  hint?: RegExp
  /** Part of the language or its tools, so that no manifest has to name it. */
  builtIn?: true
  /** Where that one is in use, an import of this one is for its mocks, and no sign that it runs anything. */
  behind?: string
}

/** Name, packages, and whatever else there is to say; imports are those of the packages unless given. */
export type RuleEntry = [
  name: string,
  dependencies: string,
  more?: {
    imports?: string
    configs?: string
    settings?: string
    scripts?: RegExp
    testFiles?: RegExp
    hint?: RegExp
    builtIn?: true
    behind?: string
  },
]

/** Rules out of the short form of the tables, in which lists are words. */
export function rules(ecosystem: Ecosystem, kind: FrameworkKind, entries: readonly RuleEntry[]): FrameworkRule[] {
  return entries.map(([name, dependencies, more = {}]) => {
    const { imports, configs, settings, ...rest } = more
    const packages = words(dependencies)
    return {
      name,
      ecosystem,
      kind,
      dependencies: packages,
      imports:
        imports === undefined ? packages.flatMap((packageName) => importOf(packageName, ecosystem)) : words(imports),
      configs: words(configs),
      settings: words(settings),
      ...rest,
    }
  })
}

function words(text: string | undefined): string[] {
  return text ? text.split(' ').filter((word) => word !== '') : []
}

/** How a package is imported where that follows from its name. */
function importOf(packageName: string, ecosystem: Ecosystem): string[] {
  if (packageName.endsWith('*'))
    return ecosystem === 'npm' || ecosystem === 'go' ? [packageName.replace(/\/?\*$/, '')] : []
  if (ecosystem === 'npm' || ecosystem === 'go') return [packageName]
  if (ecosystem === 'pypi' || ecosystem === 'cargo') return [packageName.replaceAll('-', '_')]
  if (ecosystem === 'rubygems') return [packageName, packageName.replaceAll('-', '/')]
  return []
}
