/** Where a manifest's packages come from, by the registry's name. Gradle's are Maven's, deno.json's are npm's. */
export type Ecosystem = 'npm' | 'pypi' | 'go' | 'cargo' | 'maven' | 'rubygems' | 'composer' | 'nuget' | 'hex'

export type DependencyKind = 'runtime' | 'dev' | 'test' | 'peer' | 'build'

export interface Dependency {
  /** As the registry spells it: `group:artifact` for Maven, lower case with hyphens for PyPI. */
  name: string
  /** The range as written; empty where none is given. */
  version: string
  kind: DependencyKind
}

/** What one file says of a package. */
export interface Manifest {
  path: string
  ecosystem: Ecosystem
  name?: string
  version?: string
  /** The tool that installs the dependencies: npm, pnpm, poetry, gradle … */
  manager?: string
  scripts: Record<string, string>
  dependencies: Dependency[]
  /** Patterns or folders of the packages that belong to it. */
  workspaces: string[]
  /** Tools that the manifest holds settings of: `jest` in package.json, `tool.pytest` in pyproject.toml. */
  settings: string[]
}

/** A parser's answer; the rest of a manifest is known from its path. */
export interface ManifestFacts extends Partial<Omit<Manifest, 'path' | 'ecosystem'>> {
  /** Versions that hold in the manifests below, by package. */
  shared?: Map<string, string>
}

/** A manifest that cannot be read is left out and named; it never ends an analysis. */
export interface ManifestNote {
  path: string
  message: string
}

/** Thrown by parsers; the message is a predicate of the file: "is not valid JSON". */
export class UnreadableManifest extends Error {
  override name = 'UnreadableManifest'
}
