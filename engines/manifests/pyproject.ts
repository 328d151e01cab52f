import type { Dependency, DependencyKind, ManifestFacts } from './manifest.ts'
import { kindOfGroup, normalizedName, parseRequirements } from './requirements.ts'
import { parseToml } from './toml.ts'
import { dependencyTable, entries, scriptTable, table, text, texts } from './values.ts'

const managers = ['poetry', 'uv', 'pdm', 'hatch'] as const

/** PEP 621 and 735, and what Poetry, uv, PDM and Hatch keep under `tool`. */
export function parsePyproject(source: string): ManifestFacts {
  const toml = parseToml(source)
  const project = table(toml.project)
  const tool = table(toml.tool)
  const poetry = table(tool.poetry)
  const scripts = { ...table(table(tool.pdm).scripts), ...table(table(tool.poe).tasks) }
  return {
    name: text(project.name) ?? text(poetry.name),
    version: text(project.version) ?? text(poetry.version),
    manager: managers.find((name) => Object.hasOwn(tool, name)),
    scripts: scriptTable(scripts),
    dependencies: [
      ...parseRequirements(texts(project.dependencies), 'runtime'),
      ...groups(project['optional-dependencies']),
      ...groups(toml['dependency-groups']),
      ...poetryDependencies(poetry),
      ...parseRequirements(texts(table(tool.uv)['dev-dependencies']), 'dev'),
      ...groups(table(tool.pdm)['dev-dependencies']),
      ...hatchDependencies(tool.hatch),
      ...parseRequirements(texts(table(toml['build-system']).requires), 'build'),
    ],
    workspaces: texts(table(table(tool.uv).workspace).members),
    settings: entries(tool).map(([name]) => `tool.${name}`),
  }
}

function groups(value: unknown): Dependency[] {
  return entries(value).flatMap(([name, lines]) => parseRequirements(texts(lines), kindOfGroup(name)))
}

function poetryDependencies(poetry: Record<string, unknown>): Dependency[] {
  const named = (value: unknown, kind: DependencyKind) =>
    dependencyTable(value, kind)
      .filter(({ name }) => name !== 'python')
      .map((dependency) => ({ ...dependency, name: normalizedName(dependency.name) }))
  return [
    ...named(poetry.dependencies, 'runtime'),
    ...named(poetry['dev-dependencies'], 'dev'),
    ...entries(poetry.group).flatMap(([name, group]) => named(table(group).dependencies, kindOfGroup(name))),
  ]
}

function hatchDependencies(hatch: unknown): Dependency[] {
  return entries(table(hatch).envs).flatMap(([name, environment]) => {
    const kind = kindOfGroup(name) === 'test' ? 'test' : 'dev'
    const { dependencies, 'extra-dependencies': extra } = table(environment)
    return parseRequirements([...texts(dependencies), ...texts(extra)], kind)
  })
}

/** Pipenv's manifest. */
export function parsePipfile(source: string): ManifestFacts {
  const toml = parseToml(source)
  const named = (value: unknown, kind: DependencyKind) =>
    dependencyTable(value, kind).map((dependency) => ({ ...dependency, name: normalizedName(dependency.name) }))
  return {
    manager: 'pipenv',
    scripts: scriptTable(toml.scripts),
    dependencies: [...named(toml.packages, 'runtime'), ...named(toml['dev-packages'], 'dev')],
  }
}
