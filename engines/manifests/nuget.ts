import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { text } from './values.ts'
import type { XmlElement } from './xml.ts'
import { children, childText, parseXml } from './xml.ts'

const testSdk = 'Microsoft.NET.Test.Sdk'

/** A project file; the SDK that it builds on counts as a build dependency. */
export function parseProject(source: string, path: string): ManifestFacts {
  const project = parseXml(source)
  const items = children(project, 'ItemGroup')
  const references = items.flatMap((group) => [
    ...children(group, 'PackageReference'),
    ...children(group, 'FrameworkReference'),
  ])
  const isTest =
    references.some((reference) => included(reference) === testSdk) || property(project, 'IsTestProject') === 'true'
  const sdk = text(project.attributes.get('Sdk'))
  return {
    name: property(project, 'PackageId') ?? property(project, 'AssemblyName') ?? fileTitle(path),
    version: property(project, 'Version') ?? property(project, 'VersionPrefix'),
    manager: 'nuget',
    dependencies: [
      ...references.flatMap((reference) => packageOf(reference, isTest ? 'test' : 'runtime')),
      ...(sdk ? [{ name: sdk.replace(/\/.*$/s, ''), version: '', kind: 'build' as const }] : []),
    ],
  }
}

/** packages.config of projects without SDK. */
export function parsePackagesConfig(source: string): ManifestFacts {
  return {
    manager: 'nuget',
    dependencies: children(parseXml(source), 'package').flatMap((element) => {
      const name = text(element.attributes.get('id'))
      return name ? [{ name, version: text(element.attributes.get('version')) ?? '', kind: 'runtime' as const }] : []
    }),
  }
}

/** Versions that Directory.Packages.props sets for the projects below it, by package. */
export function parseCentralVersions(source: string): Map<string, string> {
  const groups = children(parseXml(source), 'ItemGroup')
  return new Map(
    groups
      .flatMap((group) => children(group, 'PackageVersion'))
      .flatMap((element) => packageOf(element, 'runtime'))
      .map(({ name, version }) => [name, version]),
  )
}

function packageOf(element: XmlElement, kind: DependencyKind): Dependency[] {
  const name = included(element)
  const version = text(element.attributes.get('Version')) ?? text(childText(element, 'Version')) ?? ''
  return name ? [{ name, version, kind }] : []
}

function included(element: XmlElement): string | undefined {
  return text(element.attributes.get('Include') ?? element.attributes.get('Update'))
}

/** A value that is computed (`$(Prefix)`) is no value. */
function property(project: XmlElement, name: string): string | undefined {
  const groups = children(project, 'PropertyGroup')
  const value = groups.map((group) => childText(group, name)).find((candidate) => candidate !== undefined)
  return value?.includes('$(') ? undefined : text(value)
}

function fileTitle(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
}
