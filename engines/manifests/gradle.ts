import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { parseToml } from './toml.ts'
import { entries, shortLines, table, text } from './values.ts'

const quoted = String.raw`["']([^"'\s]+)["']`
const configuration =
  /^\s*["']?((?:[a-z]\w*)?(?:[iI]mplementation|[aA]pi|[cC]ompile(?:Only)?|[rR]untime(?:Only)?)|annotationProcessor|kapt|ksp|classpath)["']?[\s(]+(.*)$/s
const plugin = new RegExp(String.raw`^\s*(?:id|apply\s+plugin:)[\s(]*${quoted}(?:\)?\s*version[\s(]*${quoted})?`)
const kotlinPlugin = /^\s*kotlin\(\s*["']([\w.-]+)["']\s*\)/
/** Marks a name from a version catalog; `readManifests` replaces it by the coordinates of the module. */
export const catalogPrefix = 'libs.'

/** build.gradle and build.gradle.kts are programs; statements that are written out on one line are read. */
export function parseGradle(source: string): ManifestFacts {
  const dependencies: Dependency[] = []
  const settings: string[] = []
  /** For each open block, whether it is about tests: commonTest { dependencies { … } } of Kotlin Multiplatform. */
  const blocks: boolean[] = []
  for (const line of shortLines(source.replace(/\/\*[^]*?(?:\*\/|$)/g, ''))) {
    const code = line.replace(/(?:^|\s)\/\/.*$/s, '').replace(/\$\{[^}]*\}?/g, '')
    let header = ''
    for (const part of code.split(/([{};])/)) {
      if (part === '{') blocks.push(blocks.at(-1) === true || /\b\w+Test\b/.test(header))
      else if (part === '}') blocks.pop()
      else {
        header = part
        dependencies.push(...dependenciesIn(part, blocks.at(-1) === true))
        const runner = /\b(useJUnitPlatform|useTestNG|useJUnit)\b/.exec(part)?.[1]
        if (runner) settings.push(runner)
      }
    }
  }
  return {
    version: text(/^[ \t]*version[ \t]*(?:=[ \t]*)?["']([^"'\n$]{1,50})["']/m.exec(source)?.[1]),
    manager: 'gradle',
    dependencies,
    settings,
  }
}

function dependenciesIn(statement: string, inTests: boolean): Dependency[] {
  const [, name = '', argument = ''] = configuration.exec(statement) ?? []
  if (name) return coordinates(argument, inTests ? 'test' : kindOfConfiguration(name))
  const [, id, version = ''] = plugin.exec(statement) ?? []
  const kotlin = kotlinPlugin.exec(statement)?.[1]
  const alias = /^\s*alias\(\s*(libs\.plugins\.[\w.]+)/.exec(statement)?.[1]
  const found = id ?? alias ?? (kotlin && `org.jetbrains.kotlin.${kotlin}`)
  return found ? [{ name: found, version, kind: 'build' }] : []
}

export function parseGradleSettings(source: string): ManifestFacts {
  const includes = shortLines(source).filter((line) => /^\s*include\b/.test(line))
  return {
    name: text(/\brootProject\.name\s*=\s*["']([^"'\n]{1,200})["']/.exec(source)?.[1]),
    manager: 'gradle',
    workspaces: includes.flatMap((line) =>
      [...line.matchAll(/["']:?([^"']+)["']/g)].map(([, name = '']) => name.replaceAll(':', '/')),
    ),
  }
}

/** Aliases of gradle/libs.versions.toml, spelled as build files refer to them: `libs.junit.jupiter`. */
export function parseCatalog(source: string): Map<string, { name: string; version: string }> {
  const toml = parseToml(source)
  const versions = table(toml.versions)
  const versionOf = (value: unknown): string => {
    const reference = text(table(value).ref)
    return text(value) ?? (reference ? (text(versions[reference]) ?? '') : '')
  }
  const aliases = new Map<string, { name: string; version: string }>()
  for (const [section, prefix] of [
    ['libraries', catalogPrefix],
    ['plugins', `${catalogPrefix}plugins.`],
  ] as const) {
    for (const [alias, value] of entries(toml[section])) {
      const details = table(value)
      const [group, artifact, inline] = (text(value) ?? text(details.module) ?? '').split(':')
      const module = group && artifact ? `${group}:${artifact}` : `${text(details.group)}:${text(details.name)}`
      const name = section === 'plugins' ? (text(details.id) ?? group ?? '') : module
      aliases.set(prefix + alias.replaceAll(/[-_]/g, '.'), { name, version: inline ?? versionOf(details.version) })
    }
  }
  return aliases
}

/** `'group:artifact:1.0'`, `group: 'a', name: 'b'`, `platform(…)`, `kotlin("test")` or `libs.some.alias`. */
function coordinates(argument: string, kind: DependencyKind): Dependency[] {
  const inner = argument.replace(/^(?:(?:enforcedPlatform|platform|testFixtures)\s*\(?\s*)/, '')
  const kotlin = /^kotlin\(\s*["']([\w-]+)["']/.exec(inner)?.[1]
  if (kotlin) return [{ name: `org.jetbrains.kotlin:kotlin-${kotlin}`, version: '', kind }]
  const alias = /^(libs\.[\w.]+?)(?:\.get\(\))?[\s)]*$/.exec(inner)?.[1]
  if (alias) return [{ name: alias, version: '', kind }]
  const group = /\bgroup\s*[:=]\s*["']([^"']+)["']/.exec(inner)
  if (group) {
    const rest = inner.slice(group.index + group[0].length)
    const name = /\bname\s*[:=]\s*["']([^"']+)["']/.exec(rest)?.[1]
    const version = /\bversion\s*[:=]\s*["']([^"']+)["']/.exec(rest)?.[1] ?? ''
    if (name) return [{ name: `${group[1]}:${name}`, version, kind }]
  }
  return [...inner.matchAll(/["']([^"':\s]+):([^"':\s]+)(?::([^"'\s]*))?["']/g)].map(
    ([, group = '', artifact = '', version = '']) => ({
      name: `${group}:${artifact}`,
      version: version.startsWith('$') ? '' : version,
      kind,
    }),
  )
}

function kindOfConfiguration(name: string): DependencyKind {
  if (/test/i.test(name)) return 'test'
  return /^(?:annotationProcessor|kapt|ksp|classpath)$|compileOnly/i.test(name) ? 'build' : 'runtime'
}
