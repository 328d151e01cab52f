import type { Dependency } from '../../manifests/manifest.ts'
import { parsePipfile, parsePyproject } from '../../manifests/pyproject.ts'
import { normalizedName, parseRequirementsFile } from '../../manifests/requirements.ts'
import { parseSetupCfg, parseSetupPy, parseToxIni } from '../../manifests/setuptools.ts'
import { parseToml } from '../../manifests/toml.ts'
import type { Table } from '../../manifests/values.ts'
import { entries, table, text, texts } from '../../manifests/values.ts'
import { parseIni } from '../../manifests/ini.ts'
import type { Folder } from '../folder.ts'
import { readManifest } from '../folder.ts'
import type { Automation } from './automation.ts'
import { readAutomation } from './tox.ts'

/** The parts of a Python program's manifests that matter for running tests. */
export interface PythonProject {
  /** Normalized names of everything that any of them lists. */
  dependencies: ReadonlySet<string>
  /** pyproject.toml; empty if the file does not exist. */
  toml: Table
  /** The project itself can be installed. */
  installable: boolean
  /** Whether the program has requirements other than those for tests. */
  needsPackages: boolean
  /** Extras and groups for tests, by the names that they have there. */
  extras: readonly string[]
  groups: readonly string[]
  /** The requirements of those groups, for versions of pip without groups. */
  groupRequirements: readonly string[]
  requirementFiles: readonly string[]
  /** What tox or nox run; null without them. */
  automation: Automation | null
}

const forTests =
  /^(?:tests?|testing|dev|develop|development|pytest|ci|unit[-_]?tests?|tests?[-_]?(?:dependencies|deps|requirements|extras?))$/i
const requirementsFile =
  /^(?:(?:requirements|reqs)(?:[-_.](?:dev|develop|development|tests?|testing|ci|py3|base))*\.(?:txt|pip)|(?:dev|tests?|ci)[-_.]?requirements\.txt|requirements\/(?:base|common|main|dev|develop|development|tests?|testing|ci|requirements)\.txt|tests?\/requirements(?:-tests?)?\.txt)$/i

export async function readProject(folder: Folder): Promise<PythonProject> {
  const toml = (await readManifest(folder, 'pyproject.toml', parseToml)) ?? {}
  const setupCfg = await readManifest(folder, 'setup.cfg', parseSetupCfg)
  const cfgSections = await readManifest(folder, 'setup.cfg', parseIni)
  const setupPy = await readManifest(folder, 'setup.py', parseSetupPy)
  const setupSource = (await folder.read('setup.py')) ?? ''
  const requirementFiles = folder.paths.filter((path) => requirementsFile.test(path)).toSorted()
  const listed: Dependency[] = [
    ...((await readManifest(folder, 'pyproject.toml', parsePyproject))?.dependencies ?? []),
    ...(setupCfg?.dependencies ?? []),
    ...(setupPy?.dependencies ?? []),
    ...((await readManifest(folder, 'Pipfile', parsePipfile))?.dependencies ?? []),
    ...((await readManifest(folder, 'tox.ini', parseToxIni))?.dependencies ?? []),
  ]
  for (const path of requirementFiles) {
    const facts = await readManifest(folder, path, (source) => parseRequirementsFile(source, path))
    listed.push(...(facts?.dependencies ?? []))
  }
  const project = table(toml.project)
  const poetry = table(table(toml.tool).poetry)
  const groupTable = table(toml['dependency-groups'])
  const extras = [
    ...entries(project['optional-dependencies']).map(([name]) => name),
    ...entries(poetry.extras).map(([name]) => name),
    ...(cfgSections?.get('options.extras_require')?.keys() ?? []),
    ...[...setupSource.slice(0, 100_000).matchAll(/["'](tests?|testing|dev|develop)["']\s*:\s*[[\w]/g)].map(
      ([, name = '']) => name,
    ),
  ].filter((name) => forTests.test(name))
  const groups = [...entries(groupTable), ...entries(poetry.group)]
    .map(([name]) => name)
    .filter((name) => forTests.test(name))
  const runtime = listed.filter(({ kind }) => kind === 'runtime')
  return {
    dependencies: new Set(listed.map(({ name }) => normalizedName(name))),
    toml,
    installable:
      Object.hasOwn(toml, 'project') ||
      Object.hasOwn(toml, 'build-system') ||
      setupPy !== null ||
      text(poetry.name) !== undefined
        ? text(poetry['package-mode']) === undefined && poetry['package-mode'] !== false
        : (cfgSections?.has('metadata') ?? false),
    needsPackages:
      runtime.length > 0 || Object.hasOwn(project, 'scripts') || /entry_points|install_requires/.test(setupSource),
    extras: [...new Set(extras)].toSorted(),
    groups: [...new Set(groups)].toSorted(),
    groupRequirements: unique(
      entries(groupTable)
        .filter(([name]) => forTests.test(name))
        .flatMap(([name]) => requirementsOfGroup(groupTable, name, new Set())),
    ),
    requirementFiles,
    automation: await readAutomation(folder, toml),
  }
}

/** Groups can include each other. */
function requirementsOfGroup(groups: Table, name: string, seen: Set<string>): string[] {
  if (seen.has(name) || !Object.hasOwn(groups, name)) return []
  seen.add(name)
  const list = Array.isArray(groups[name]) ? groups[name].slice(0, 500) : []
  const included = list.flatMap((item) => text(table(item)['include-group']) ?? [])
  return [
    ...texts(list.filter((item) => typeof item === 'string')),
    ...included.flatMap((other) => requirementsOfGroup(groups, other, seen)),
  ]
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
