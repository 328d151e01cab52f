import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { shortLines, text } from './values.ts'

const literal = String.raw`["']([^"'#\s]+)["']`
const gemLine = new RegExp(String.raw`^\s*gem[\s(]+${literal}(.*)`)
const addLine = new RegExp(String.raw`\badd_(runtime_|development_)?dependency[\s(]+${literal}(.*)`)

/** A Gemfile is a program; gems are read with the groups that they stand in. */
export function parseGemfile(source: string): ManifestFacts {
  const dependencies: Dependency[] = []
  /** The kind of each open block, with those around it. */
  const blocks: DependencyKind[] = []
  for (const line of shortLines(source)) {
    const code = line.replace(/(?:^|\s)#.*$/s, '')
    const group = /^\s*group[\s(]+(?=[^\s(])(.*?)\)?(?<!\s)\s+do\b/.exec(code)?.[1]
    const outer = blocks.at(-1) ?? 'runtime'
    if (group !== undefined) blocks.push(kindWithin(outer, kindOfGroups(group)))
    else if (/\bdo\s*(?:\|[^|]*\|\s*)?$/.test(code) || /^\s*(?:if|unless|case)\b/.test(code)) blocks.push(outer)
    else if (/^\s*end\b/.test(code)) blocks.pop()
    const gem = gemLine.exec(code)
    if (!gem?.[1]) continue
    const options = gem[2] ?? ''
    const own = /\bgroups?(?::|\s*=>)\s*(\[[^\]]*\]?|:\w+)/.exec(options)?.[1] ?? ''
    dependencies.push({
      name: gem[1],
      version: versionsIn(options),
      kind: kindWithin(blocks.at(-1), kindOfGroups(own)),
    })
  }
  return { manager: 'bundler', dependencies }
}

export function parseGemspec(source: string): ManifestFacts {
  const dependencies: Dependency[] = []
  for (const line of shortLines(source)) {
    const added = addLine.exec(line.replace(/(?:^|\s)#.*$/s, ''))
    if (!added?.[2]) continue
    const kind = added[1] === 'development_' ? 'dev' : 'runtime'
    dependencies.push({ name: added[2], version: versionsIn(added[3] ?? ''), kind })
  }
  const attribute = (name: string) => text(new RegExp(String.raw`\.${name}\s*=\s*${literal}`).exec(source)?.[1])
  const constructed = new RegExp(String.raw`\bSpecification\.new[\s(]+${literal}`).exec(source)?.[1]
  return {
    name: attribute('name') ?? text(constructed),
    version: attribute('version'),
    manager: 'bundler',
    dependencies,
  }
}

/** Versions that Gemfile.lock resolved, by gem. */
export function lockedGems(source: string): Map<string, string> {
  const versions = new Map<string, string>()
  for (const line of shortLines(source)) {
    const spec = /^ {4}([\w.-]+) \(([^)]+)\)$/.exec(line)
    if (spec?.[1] && spec[2]) versions.set(spec[1], spec[2])
  }
  return versions
}

function versionsIn(rest: string): string {
  const versions = /^\s*,\s*((?:["'][^"']*["']\s*,?\s*)+)/.exec(rest)?.[1] ?? ''
  return [...versions.matchAll(/["']([^"']*)["']/g)].flatMap(([, version]) => version ?? []).join(', ')
}

function kindWithin(outer: DependencyKind | undefined, own: DependencyKind): DependencyKind {
  if (outer === 'test' || own === 'test') return 'test'
  return outer === 'dev' ? 'dev' : own
}

function kindOfGroups(groups: string): DependencyKind {
  if (/\btest\b/.test(groups)) return 'test'
  return /\b(?:development|doc|docs|lint|rubocop|debug)\b/.test(groups) ? 'dev' : 'runtime'
}
