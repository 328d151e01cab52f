import type { DetectedFramework } from '../schema.ts'
import type { Ecosystem, Manifest } from '../../manifests/manifest.ts'
import { KnownPaths } from '../../languages/known-paths.ts'
import type { Evidence } from './evidence.ts'
import { confidenceOf, confidences, dependencyConfidence, sentencesOf } from './evidence.ts'
import type { FrameworkKind, FrameworkRule } from './rule.ts'
import { rulesOfConfig, rulesOfDependency, rulesOfImport, rulesOfSetting } from './rule-index.ts'
import { frameworkRules } from './rules/index.ts'

export interface FrameworkInput {
  manifests: readonly Manifest[]
  /** All paths of the repository, without those of vendored code. */
  paths: Iterable<string>
  /** Specifier as written to the number of files that import it; left out before files have been parsed. */
  imports?: ReadonlyMap<string, number>
  /** Source files that hold tests inline, for Rust. */
  inlineTests?: readonly string[]
}

export interface DetectedFrameworks {
  frameworks: DetectedFramework[]
  testFrameworks: DetectedFramework[]
  /** Bundlers, compilers, task runners. */
  buildTools: DetectedFramework[]
}

const exampleFolder =
  /(?:^|\/)(?:(?:examples?|fixtures?|samples?|demos?|templates?|starters?)(?:[-_.][^/]*)?|__fixtures__|testdata|docs?|documentation|playgrounds?|website|benchmarks?|bench)\//i
const testFolder = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\//i

/**
 * Frameworks, test frameworks and build tools with the evidence for them, the surest first, then by name.
 * Deterministic: the order of the input does not matter.
 */
export function detectFrameworks(input: FrameworkInput): DetectedFrameworks {
  const found = new Findings(new Set(input.manifests.map(({ ecosystem }) => ecosystem)))
  for (const manifest of input.manifests) fromManifest(found, manifest)
  fromPaths(found, input.paths)
  for (const [specifier, files] of input.imports ?? []) {
    if (!specifier.startsWith('.')) {
      for (const rule of rulesOfImport(specifier)) found.countImports(rule, files)
    }
  }
  const inline = input.inlineTests?.filter((path) => !isExample(path, 'test')).length ?? 0
  const cargoTest = frameworkRules.find(({ name }) => name === 'cargo test')
  if (inline > 0 && cargoTest) {
    found.add(cargoTest, 'testFiles', confidences.testFiles, `tests inside ${count(inline, 'source file')}`, false)
  }
  return { frameworks: found.of('framework'), testFrameworks: found.of('test'), buildTools: found.of('build') }
}

function fromManifest(found: Findings, manifest: Manifest): void {
  const { path, ecosystem, name, dependencies, settings, scripts } = manifest
  for (const rule of name ? rulesOfPackage(manifest, name) : []) {
    if (!isExample(path, rule.kind)) {
      found.add(rule, 'self', confidences.self, `is the framework itself: package \`${name}\` in ${path}`, false)
    }
  }
  for (const { name: dependency, kind } of dependencies) {
    for (const rule of rulesOfDependency(ecosystem, dependency)) {
      const label = kind === 'runtime' ? 'dependency' : `${kind} dependency`
      const sentence = `${label} \`${dependency}\` in ${path}`
      found.add(rule, 'dependency', dependencyConfidence(kind, rule.kind), sentence, isExample(path, rule.kind))
    }
  }
  for (const setting of settings) {
    for (const rule of rulesOfSetting(ecosystem, setting)) {
      const sentence = `settings \`${setting}\` in ${path}`
      found.add(rule, 'config', confidences.config, sentence, isExample(path, rule.kind))
    }
  }
  for (const [script, command] of Object.entries(scripts)) {
    for (const rule of scriptRules) {
      if (rule.ecosystem !== ecosystem || !rule.scripts?.test(command)) continue
      const confidence = rule.builtIn ? confidences.importOfBuiltIn : confidences.script
      found.add(rule, 'script', confidence, `script \`${script}\` in ${path}`, isExample(path, rule.kind))
    }
  }
}

/** Maven's names are without the group that rules state. */
function rulesOfPackage({ ecosystem }: Manifest, name: string): FrameworkRule[] {
  if (ecosystem !== 'maven') return rulesOfDependency(ecosystem, ecosystem === 'pypi' ? name.toLowerCase() : name)
  return frameworkRules.filter(
    (rule) => rule.ecosystem === 'maven' && rule.dependencies.some((dependency) => dependency.endsWith(`:${name}`)),
  )
}

function fromPaths(found: Findings, paths: Iterable<string>): void {
  const counts = new Map<FrameworkRule, { files: number; examples: number; hinted: boolean }>()
  for (const path of paths) {
    const { configures, names } = rulesOfPath(path)
    for (const rule of configures) found.add(rule, 'config', confidences.config, path, isExample(path, rule.kind))
    for (const { rule, named } of names) {
      const counted = counts.get(rule) ?? { files: 0, examples: 0, hinted: false }
      counts.set(rule, counted)
      counted.hinted ||= !named
      if (isExample(path, rule.kind)) counted.examples++
      else counted.files++
    }
  }
  for (const [rule, { files, examples, hinted }] of counts) {
    const [sort, confidence] = hinted
      ? (['hint', confidences.hint] as const)
      : (['testFiles', confidences.testFiles] as const)
    found.add(rule, sort, confidence, `${count(files || examples, 'file')} named like its tests`, files === 0)
  }
}

/** What a path says of frameworks. */
interface PathRules {
  configures: readonly FrameworkRule[]
  /** `named` is false where only a hint of the rule matches. */
  names: readonly { rule: FrameworkRule; named: boolean }[]
}

const known = new KnownPaths<PathRules>()
/** The answer for most paths. */
const none: PathRules = { configures: [], names: [] }

const rulesOfPath = (path: string): PathRules =>
  known.find(path, () => {
    const configures = rulesOfConfig(path)
    const names = pathRules.flatMap((rule) => {
      const named = rule.testFiles?.test(path) === true
      return named || rule.hint?.test(path) === true ? [{ rule, named }] : []
    })
    return configures.length + names.length === 0 ? none : { configures, names }
  })

/** Ecosystems in which code can only import what a manifest names itself. */
const strict = new Set<Ecosystem>(['npm', 'go', 'cargo'])

const scriptRules = frameworkRules.filter((rule) => rule.scripts)
const pathRules = frameworkRules.filter((rule) => rule.testFiles ?? rule.hint)

/** A test framework's place is among the tests, a documentation tool's among the documents. */
function isExample(path: string, kind: FrameworkKind): boolean {
  if (kind === 'build') return false
  return exampleFolder.test(path) || (kind === 'framework' && testFolder.test(path))
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Evidence by framework; the rules of one name and kind in several ecosystems are one framework. */
class Findings {
  readonly #evidence = new Map<string, { name: string; kind: FrameworkKind; evidence: Map<string, Evidence> }>()
  readonly #imports = new Map<FrameworkRule, number>()
  readonly #ecosystems: ReadonlySet<Ecosystem>

  constructor(ecosystems: ReadonlySet<Ecosystem>) {
    this.#ecosystems = ecosystems
  }

  add(rule: FrameworkRule, sort: Evidence['sort'], confidence: number, sentence: string, example: boolean): void {
    const key = `${rule.kind} ${rule.name}`
    const entry = this.#evidence.get(key) ?? { name: rule.name, kind: rule.kind, evidence: new Map() }
    this.#evidence.set(key, entry)
    // A monorepo declares the same thing a hundred times; sentences are cut later, so the nearest to the root stay.
    if (entry.evidence.size < 1_000) entry.evidence.set(sentence, { sort, confidence, sentence, example })
  }

  countImports(rule: FrameworkRule, files: number): void {
    this.#imports.set(rule, Math.max(this.#imports.get(rule) ?? 0, files))
  }

  of(kind: FrameworkKind): DetectedFramework[] {
    this.#settleImports()
    return (
      [...this.#evidence.values()]
        .filter((entry) => entry.kind === kind)
        // Examples and fixtures may be tested with anything, and a run does not run their tests.
        .filter(({ evidence }) => kind !== 'test' || [...evidence.values()].some(({ example }) => !example))
        .map(({ name, evidence }) => {
          const all = [...evidence.values()]
          return { name, confidence: confidenceOf(all), evidence: sentencesOf(all) }
        })
        .toSorted((a, b) => b.confidence - a.confidence || (a.name < b.name ? -1 : 1))
    )
  }

  /** Files that import several parts of one framework are counted by the part that most of them import. */
  #settleImports(): void {
    for (const [rule, files] of this.#imports) {
      const declared = this.#evidence.get(`${rule.kind} ${rule.name}`)
      // Imports do not say from where: of a framework that only examples declare, they are the examples' own.
      const onlyExamples = declared !== undefined && [...declared.evidence.values()].every(({ example }) => example)
      const undeclared = !declared && strict.has(rule.ecosystem) && this.#ecosystems.has(rule.ecosystem)
      const others = undeclared ? confidences.importUndeclared : confidences.importOnly
      const behind = rule.behind !== undefined && this.#evidence.has(`${rule.kind} ${rule.behind}`)
      const builtIn = behind ? confidences.hint : confidences.importOfBuiltIn
      const confidence = rule.builtIn ? builtIn : others
      this.add(rule, 'import', confidence, `imported by ${count(files, 'file')}`, onlyExamples)
    }
    this.#imports.clear()
  }
}
