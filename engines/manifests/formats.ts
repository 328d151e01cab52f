import { parseCargoToml } from './cargo.ts'
import { parseComposerJson } from './composer.ts'
import { parseGoMod, parseGoWork } from './go.ts'
import { parseGradle, parseGradleSettings } from './gradle.ts'
import type { Ecosystem, ManifestFacts } from './manifest.ts'
import { parsePom } from './maven.ts'
import { parseMixExs } from './mix.ts'
import { parseDenoJson, parsePackageJson } from './npm.ts'
import { parsePackagesConfig, parseProject } from './nuget.ts'
import { parsePipfile, parsePyproject } from './pyproject.ts'
import { parseRequirementsFile } from './requirements.ts'
import { parseGemfile, parseGemspec } from './ruby.ts'
import { parseSetupCfg, parseSetupPy, parseToxIni } from './setuptools.ts'

export interface ManifestFormat {
  /** Base name, all of it. */
  name: RegExp
  /** Paths of files that bear other names. */
  path?: RegExp
  ecosystem: Ecosystem
  parse: (source: string, path: string) => ManifestFacts
  /** Says something of the other manifests beside it, and nothing when it is alone. */
  companion?: true
}

/** The more telling of several manifests in one folder comes first. */
export const formats: ManifestFormat[] = [
  { name: /^package\.json$/, ecosystem: 'npm', parse: parsePackageJson },
  { name: /^deno\.jsonc?$/, ecosystem: 'npm', parse: parseDenoJson },
  { name: /^pyproject\.toml$/, ecosystem: 'pypi', parse: parsePyproject },
  { name: /^setup\.cfg$/, ecosystem: 'pypi', parse: parseSetupCfg },
  { name: /^setup\.py$/, ecosystem: 'pypi', parse: parseSetupPy },
  { name: /^Pipfile$/, ecosystem: 'pypi', parse: parsePipfile },
  {
    name: /^requirements.*\.(?:txt|in)$|^(?:dev|test)-?requirements\.txt$/,
    ecosystem: 'pypi',
    path: /(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/,
    parse: parseRequirementsFile,
  },
  { name: /^tox\.ini$/, ecosystem: 'pypi', parse: parseToxIni, companion: true },
  { name: /^go\.mod$/, ecosystem: 'go', parse: parseGoMod },
  { name: /^go\.work$/, ecosystem: 'go', parse: parseGoWork, companion: true },
  { name: /^Cargo\.toml$/, ecosystem: 'cargo', parse: parseCargoToml },
  { name: /^pom\.xml$/, ecosystem: 'maven', parse: parsePom },
  { name: /^build\.gradle(?:\.kts)?$/, ecosystem: 'maven', parse: parseGradle },
  { name: /^settings\.gradle(?:\.kts)?$/, ecosystem: 'maven', parse: parseGradleSettings, companion: true },
  { name: /\.gemspec$/, ecosystem: 'rubygems', parse: parseGemspec },
  { name: /^(?:Gemfile|gems\.rb)$/, ecosystem: 'rubygems', parse: parseGemfile },
  { name: /^composer\.json$/, ecosystem: 'composer', parse: parseComposerJson },
  { name: /\.(?:cs|fs|vb)proj$/, ecosystem: 'nuget', parse: parseProject },
  { name: /^packages\.config$/, ecosystem: 'nuget', parse: parsePackagesConfig },
  { name: /^mix\.exs$/, ecosystem: 'hex', parse: parseMixExs },
]

/** Lockfiles and other signs of the tool that installs a folder's dependencies. */
export const managerFiles = new Map<string, [Ecosystem, manager: string]>([
  ['pnpm-lock.yaml', ['npm', 'pnpm']],
  ['pnpm-workspace.yaml', ['npm', 'pnpm']],
  ['yarn.lock', ['npm', 'yarn']],
  ['bun.lock', ['npm', 'bun']],
  ['bun.lockb', ['npm', 'bun']],
  ['package-lock.json', ['npm', 'npm']],
  ['npm-shrinkwrap.json', ['npm', 'npm']],
  ['uv.lock', ['pypi', 'uv']],
  ['poetry.lock', ['pypi', 'poetry']],
  ['pdm.lock', ['pypi', 'pdm']],
  ['Pipfile.lock', ['pypi', 'pipenv']],
])

/** When neither the manifest nor a lockfile names one. */
export const defaultManagers: Record<Ecosystem, string> = {
  npm: 'npm',
  pypi: 'pip',
  go: 'go',
  cargo: 'cargo',
  maven: 'maven',
  rubygems: 'bundler',
  composer: 'composer',
  nuget: 'nuget',
  hex: 'mix',
}

/** Most files are no manifests, which one expression tells four times as fast as one of each format. */
const anyName = anyOf(formats.map(({ name }) => name))
const anyPath = anyOf(formats.flatMap(({ path }) => path ?? []))

export function formatOf(path: string): ManifestFormat | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!anyName.test(name) && !anyPath.test(path)) return undefined
  return formats.find((format) => format.name.test(name) || format.path?.test(path))
}

/** Returns an expression that matches what one of these matches. They have no flags. */
export function anyOf(expressions: readonly RegExp[]): RegExp {
  const other = expressions.find(({ flags }) => flags !== '')
  if (other) throw new Error(`${other} has flags, which would be lost.`)
  return new RegExp(expressions.map(({ source }) => source).join('|'))
}
