import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { shortLines } from './values.ts'

/** One requirement as PEP 508 has it, `Flask[async] >=3 ; python_version > "3.9"`; undefined for anything else. */
export function parseRequirement(line: string, kind: DependencyKind): Dependency | undefined {
  const match = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*([^;#]*)/.exec(line)
  if (!match?.[1]) return undefined
  const version = (match[2] ?? '').replace(/^\((.*)\)\s*$/, '$1').trim()
  if (version !== '' && !/^(?:[<>=!~]|@)/.test(version)) return undefined
  return { name: normalizedName(match[1]), version, kind }
}

export function parseRequirements(lines: readonly string[], kind: DependencyKind): Dependency[] {
  return lines.flatMap((line) => parseRequirement(line, kind) ?? [])
}

/** Names that differ in case, dots, hyphens and underscores only are one package on PyPI. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

/** What a group of dependencies is for, going by its name. */
export function kindOfGroup(name: string): DependencyKind {
  if (/test|pytest|spec|check/i.test(name)) return 'test'
  return /dev|lint|doc|typing|type|format|mypy|build|ci\b|release|bench/i.test(name) ? 'dev' : 'runtime'
}

/** requirements.txt and its kin; options (`-r`, `-e`, `--hash`) are passed over. */
export function parseRequirementsFile(source: string, path: string): ManifestFacts {
  const lines = shortLines(source).filter((line) => !/^\s*(?:#|-|$)/.test(line))
  const withoutOptions = lines.map((line) => line.replace(/(?<!\s)\s+(?:--hash|\\).*$/s, ''))
  const kind = kindOfGroup(path.slice(path.lastIndexOf('/') + 1).replace(/^requirements/, ''))
  const folder = /^(?=(?:.*\/)?requirements\/).*\/([^/]+)$/.exec(path)?.[1]
  return {
    manager: 'pip',
    dependencies: parseRequirements(withoutOptions, folder ? kindOfGroup(folder) : kind),
  }
}
