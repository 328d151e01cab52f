import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { parseToml } from './toml.ts'
import { entries, shortLines, table, text } from './values.ts'

const quoted = String.raw`["']([^"'\s]+)["']`
const configuration =
  /^\s*["']?((?:[a-z]\w*)?(?:[iI]mplementation|[aA]pi|[cC]ompile(?:Only)?|[rR]untime(?:Only)?)|annotationProcessor|kapt|ksp|classpath)["']?[\s(]+(.*)$/
const plugin = new RegExp(String.raw`^\s*(?:id|apply\s+plugin:)[\s(]*${quoted}(?:\)?\s*version[\s(]*${quoted})?`)
const kotlinPlugin = /^\s*kotlin\(\s*["']([\w.-]+)["']\s*\)/
/** Where a name of a version catalog stands instead of coordinates; `readManifests` puts the module in. */
export const catalogPrefix = 'libs.'

/** build.gradle and build.gradle.kts are programs; what is written on one line each is read. */
export function parseGradle(source: string): ManifestFacts {
  const dependencies: Dependency[] = []
  const settings: string[] = []
  const blocks: boolean[] = []
  for (const line of shortLines(source.replace(/\/\*[^]*?\*\//g, ''))) {
    const code = line.replace(/(?:^|\s)\/\/.*$/, '')
    const [, name = '', argument = ''] = configuration.exec(code) ?? []
    if (name) dependencies.push(...coordinates(argument, blocks.at(-1) ? 'test' : kindOfConfiguration(name)))
    const [, id, version = ''] = plugin.exec(code) ?? []
    if (id) dependencies.push({ name: id, version, kind: 'build' })
    const kotlin = kotlinPlugin.exec(code)?.[1]
    if (kotlin) dependencies.push({ name: `org.jetbrains.kotlin.${kotlin}`, version: '', kind: 'build' })
    const alias = /^\s*alias\(\s*(libs\.plugins\.[\w.]+)/.exec(code)?.[1]
    if (alias) dependencies.push({ name: alias, version: '', kind: 'build' })
    const runner = /\b(useJUnitPlatform|useTestNG|useJUnit)\b/.exec(code)?.[1]
    if (runner) settings.push(runner)
    // Source sets of Kotlin Multiplatform name their configurations alike: commonTest { dependencies { … } }
    for (const [brace] of code.matchAll(/[{}]/g)) {
      if (brace === '{') blocks.push(blocks.at(-1) === true || /\b\w+Test\b/.test(code))
      else blocks.pop()
    }
  }
  return {
    version: text(/^\s*version\s*=?\s*["']([^"'\n$]{1,50})["']/m.exec(source)?.[1]),
    manager: 'gradle',
    dependencies,
    settings,
  }
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
  const named =
    /\bgroup\s*[:=]\s*["']([^"']+)["'].*?\bname\s*[:=]\s*["']([^"']+)["'](?:.*?\bversion\s*[:=]\s*["']([^"']+)["'])?/
  const parts = named.exec(inner)
  if (parts?.[1] && parts[2]) return [{ name: `${parts[1]}:${parts[2]}`, version: parts[3] ?? '', kind }]
  return [...inner.matchAll(/["']([^"':\s]+):([^"':\s]+)(?::([^"'\s]+))?["']/g)].map(
    ([, group = '', artifact = '', version = '']) => ({ name: `${group}:${artifact}`, version, kind }),
  )
}

function kindOfConfiguration(name: string): DependencyKind {
  if (/test/i.test(name)) return 'test'
  return /^(?:annotationProcessor|kapt|ksp|classpath)$|compileOnly/i.test(name) ? 'build' : 'runtime'
}
