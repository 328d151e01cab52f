import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { text } from './values.ts'
import type { XmlElement } from './xml.ts'
import { child, children, childText, parseXml } from './xml.ts'

const kinds: Record<string, DependencyKind> = { test: 'test', provided: 'build', system: 'build', import: 'build' }

/** pom.xml, its parent and plugins as build dependencies; what `dependencyManagement` lists is only a version. */
export function parsePom(source: string): ManifestFacts {
  const project = parseXml(source)
  const properties = new Map(child(project, 'properties')?.children.map(({ name, text }) => [name, text.trim()]))
  properties.set(
    'project.version',
    childText(project, 'version') ?? childText(child(project, 'parent'), 'version') ?? '',
  )
  const resolve = (value: string | undefined) =>
    text(value?.replace(/\$\{([\w.-]+)\}/g, (reference, name: string) => properties.get(name) ?? reference))

  const coordinates = (element: XmlElement, kind: DependencyKind, group?: string): Dependency[] => {
    const groupId = resolve(childText(element, 'groupId')) ?? group
    const artifactId = resolve(childText(element, 'artifactId'))
    if (!groupId || !artifactId) return []
    return [{ name: `${groupId}:${artifactId}`, version: resolve(childText(element, 'version')) ?? '', kind }]
  }
  const profiles = children(child(project, 'profiles'), 'profile')
  const parent = child(project, 'parent')
  return {
    name: resolve(childText(project, 'artifactId')),
    version: resolve(childText(project, 'version') ?? childText(parent, 'version')),
    manager: 'maven',
    dependencies: [
      ...[project, ...profiles].flatMap((section) =>
        children(child(section, 'dependencies'), 'dependency').flatMap((dependency) =>
          coordinates(dependency, kinds[childText(dependency, 'scope') ?? ''] ?? 'runtime'),
        ),
      ),
      ...(parent ? coordinates(parent, 'build') : []),
      ...children(child(child(project, 'build'), 'plugins'), 'plugin').flatMap((plugin) =>
        coordinates(plugin, 'build', 'org.apache.maven.plugins'),
      ),
    ],
    workspaces: children(child(project, 'modules'), 'module').flatMap((module) => text(module.text) ?? []),
  }
}
