import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { parseToml } from './toml.ts'
import type { Table } from './values.ts'
import { entries, table, text, texts } from './values.ts'

/** Versions that a workspace sets for its members come back as `shared`. */
export function parseCargoToml(source: string): ManifestFacts {
  const toml = parseToml(source)
  const workspace = table(toml.workspace)
  const targets = entries(toml.target).flatMap(([, target]) => dependenciesOf(table(target)))
  return {
    name: text(table(toml.package).name),
    version: text(table(toml.package).version) ?? text(table(workspace.package).version),
    manager: 'cargo',
    dependencies: [...dependenciesOf(toml), ...targets],
    workspaces: texts(workspace.members),
    settings: Object.hasOwn(toml, 'bench') ? ['bench'] : [],
    shared: new Map(crates(workspace.dependencies, 'runtime').map(({ name, version }) => [name, version])),
  }
}

function dependenciesOf(section: Table): Dependency[] {
  return [
    ...crates(section.dependencies, 'runtime'),
    ...crates(section['dev-dependencies'], 'dev'),
    ...crates(section['build-dependencies'], 'build'),
  ]
}

/** A crate may go by another name: `web = { package = "axum", version = "0.8" }`. */
function crates(value: unknown, kind: DependencyKind): Dependency[] {
  return entries(value).flatMap(([key, requirement]) => {
    const details = table(requirement)
    const name = text(details.package) ?? text(key)
    return name ? [{ name, version: text(requirement) ?? text(details.version) ?? '', kind }] : []
  })
}
