import { type Fields, fields, property, readJson, readToml, text, texts, textsInside } from '../graph/configuration.ts'
import { baseName, directoryOf, joinPath } from '../graph/paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'

const maxTargets = 500

/**
 * Folders and files that the manifests of a repository offer to users, such as `tools` where package.json has
 * `"bin": "tools/cli.js"`. The folder of a manifest itself says nothing.
 *
 * @param isBeside - whether a folder, with a slash at its end, holds examples or the like, whose manifests do not count
 */
export function declaredProduct(tree: SourceTree, isBeside: (folder: string) => boolean): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [path, content] of tree.manifests) {
    const directory = directoryOf(path)
    // A manifest in a deep folder is usually a fixture or an example.
    if (directory.split('/').length > 3 || isBeside(`${directory}/`)) continue
    for (const target of targetsIn(baseName(path), content).slice(0, maxTargets)) {
      const place = joinPath(directory, target.replace(/^\/+/, ''))
      if (place === undefined) continue
      // A file stands for its folder, unless that is the package itself.
      const folder = tree.idOf(place) === undefined && tree.hasDirectory(place) ? place : directoryOf(place)
      if (folder !== directory && folder !== '') found.add(folder)
      else if (tree.idOf(place) !== undefined) found.add(place)
    }
  }
  return found
}

function targetsIn(name: string, content: string): string[] {
  if (name === 'package.json') return packageTargets(readJson(content))
  if (name === 'Cargo.toml') return cargoTargets(readToml(content))
  if (name === 'pyproject.toml') return pythonTargets(readToml(content))
  return []
}

function packageTargets(manifest: Fields | undefined): string[] {
  const keys = ['main', 'module', 'source', 'browser', 'bin', 'exports']
  return keys
    .flatMap((key) => textsInside(property(manifest, key), maxTargets).found)
    .filter((target) => !target.includes('*'))
}

function cargoTargets(manifest: Fields | undefined): string[] {
  const binaries = property(manifest, 'bin')
  const tables = [property(manifest, 'lib'), ...(Array.isArray(binaries) ? binaries : [])]
  return tables.flatMap((table) => text(property(fields(table), 'path')) ?? [])
}

/** Packages that setuptools, Poetry, Hatch and Flit are told of, and the modules of commands. */
function pythonTargets(manifest: Fields | undefined): string[] {
  const tool = fields(property(manifest, 'tool'))
  const at = (...keys: string[]) => keys.reduce<Fields | undefined>((table, key) => fields(property(table, key)), tool)
  const packages = [
    ...texts(property(at('setuptools'), 'packages')),
    ...texts(property(at('setuptools'), 'py-modules')).map((module) => `${module}.py`),
    ...texts(property(at('hatch', 'build', 'targets', 'wheel'), 'packages')),
    ...texts(property(at('flit', 'module'), 'name')),
  ]
  const poetry = property(at('poetry'), 'packages')
  for (const entry of Array.isArray(poetry) ? poetry : []) {
    const name = text(property(fields(entry), 'include'))
    if (name) packages.push([text(property(fields(entry), 'from')), name].filter(Boolean).join('/'))
  }
  const commands = fields(property(fields(property(manifest, 'project')), 'scripts'))
  for (const command of Object.values(commands ?? {})) {
    const [module] = text(command)?.split(':') ?? []
    if (module?.includes('.')) packages.push(module.slice(0, module.lastIndexOf('.')))
    else if (module) packages.push(`${module}.py`)
  }
  return packages.map((name) => (/[/]|\.py$/.test(name) ? name : name.replaceAll('.', '/')))
}
