import type { Ecosystem } from '../../manifests/manifest.ts'
import type { FrameworkRule } from './rule.ts'
import { frameworkRules } from './rules/index.ts'

/** Finds the rules for a name without trying them all: repositories have a hundred thousand paths. */
interface RuleIndex {
  dependencies: Map<string, FrameworkRule[]>
  wildcards: { ecosystem: Ecosystem; before: string; after: string; rule: FrameworkRule }[]
  imports: Map<string, FrameworkRule[]>
  exactImports: Map<string, FrameworkRule[]>
  configs: Map<string, { path: string; rule: FrameworkRule }[]>
  settings: Map<string, FrameworkRule[]>
}

let index: RuleIndex | undefined

export function rulesOfDependency(ecosystem: Ecosystem, name: string): FrameworkRule[] {
  const { dependencies, wildcards } = ruleIndex()
  const matching = wildcards.filter(
    (wildcard) =>
      wildcard.ecosystem === ecosystem &&
      name.length >= wildcard.before.length + wildcard.after.length &&
      name.startsWith(wildcard.before) &&
      name.endsWith(wildcard.after),
  )
  return [...new Set([...(dependencies.get(`${ecosystem} ${name}`) ?? []), ...matching.map(({ rule }) => rule)])]
}

/** Rules for the specifier itself and for its parents: `org.junit.jupiter.api.Test`, `react-dom/client`. */
export function rulesOfImport(specifier: string): FrameworkRule[] {
  const { imports, exactImports } = ruleIndex()
  const found = new Set([...(exactImports.get(specifier) ?? []), ...(imports.get(specifier) ?? [])])
  for (const { index: end } of specifier.slice(0, 200).matchAll(/[/.:\\]/g)) {
    for (const rule of imports.get(specifier.slice(0, end)) ?? []) found.add(rule)
  }
  return [...found]
}

export function rulesOfConfig(path: string): FrameworkRule[] {
  const { configs } = ruleIndex()
  const name = path.slice(path.lastIndexOf('/') + 1)
  const stem = name.slice(0, Math.max(0, name.lastIndexOf('.')))
  return [...(configs.get(name) ?? []), ...(configs.get(`${stem}.*`) ?? [])].flatMap((config) => {
    const ending = config.path.endsWith('.*') ? path.slice(0, path.lastIndexOf('.')) : path
    const wanted = config.path.replace(/\.\*$/, '')
    return ending === wanted || ending.endsWith(`/${wanted}`) ? [config.rule] : []
  })
}

export function rulesOfSetting(ecosystem: Ecosystem, setting: string): FrameworkRule[] {
  return ruleIndex().settings.get(`${ecosystem} ${setting}`) ?? []
}

function ruleIndex(): RuleIndex {
  index ??= build(frameworkRules)
  return index
}

function build(rules: readonly FrameworkRule[]): RuleIndex {
  const built: RuleIndex = {
    dependencies: new Map(),
    wildcards: [],
    imports: new Map(),
    exactImports: new Map(),
    configs: new Map(),
    settings: new Map(),
  }
  for (const rule of rules) {
    for (const name of rule.dependencies) {
      const [before = '', after] = name.split('*')
      if (after === undefined) add(built.dependencies, `${rule.ecosystem} ${name}`, rule)
      else built.wildcards.push({ ecosystem: rule.ecosystem, before, after, rule })
    }
    for (const name of rule.imports) {
      if (name.endsWith('$')) add(built.exactImports, name.slice(0, -1), rule)
      else add(built.imports, name, rule)
    }
    for (const path of rule.configs) add(built.configs, path.slice(path.lastIndexOf('/') + 1), { path, rule })
    for (const setting of rule.settings) add(built.settings, `${rule.ecosystem} ${setting}`, rule)
  }
  return built
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}
