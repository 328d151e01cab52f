import { ancestors, baseName, directoryOf, joinPath } from '../analysis/graph/paths.ts'
import type { SourceTree } from '../analysis/graph/source-tree.ts'

/** The packages of Go as further nodes: go test runs all test files of a package in one program. */
export interface GoPackages {
  /** The package of a folder: it changes with each file that is compiled into it or embedded. */
  packageIn(directory: string): number | undefined
  /** The tests of a folder: they change with the package, the test files and `testdata`. */
  testsIn(directory: string): number | undefined
  /** The nearest folder with Go files around a file that is none itself. */
  ownerOf(path: string): string | undefined
}

export function addGoPackages(tree: SourceTree, dependents: number[][]): GoPackages {
  const byFolder = new Map<string, number[]>()
  for (const [id, { path, language }] of tree.files.entries()) {
    if (language !== 'Go') continue
    const directory = directoryOf(path)
    const files = byFolder.get(directory)
    if (files) files.push(id)
    else byFolder.set(directory, [id])
  }
  const packages = new Map<string, number>()
  const tests = new Map<string, number>()
  for (const directory of byFolder.keys()) {
    packages.set(directory, dependents.push([]) - 1)
    tests.set(directory, dependents.push([]) - 1)
  }
  const modules = modulesOf(tree)
  const foldersNamed = createFolderSearch([...byFolder.keys()])
  const add = (from: number, to: number | undefined) => {
    if (to !== undefined && to !== from) dependents[to]?.push(from)
  }
  for (const [directory, files] of byFolder) {
    const own = packages.get(directory) ?? -1
    const ofTests = tests.get(directory) ?? -1
    add(ofTests, own)
    for (const file of files) {
      const isTest = tree.pathOf(file).endsWith('_test.go')
      const user = isTest ? ofTests : own
      add(user, file)
      if (isTest) add(file, ofTests)
      for (const { specifier } of tree.facts(file)?.imports ?? []) {
        for (const imported of directoriesOfImport(specifier, directory)) add(user, packages.get(imported))
      }
    }
  }
  function directoriesOfImport(specifier: string, from: string): readonly string[] {
    const imported = directoryOfImport(specifier, from, modules)
    if (imported !== undefined) return [imported]
    const roots = [...modules.values()]
    return roots.some((root) => root === '' || from === root || from.startsWith(`${root}/`))
      ? []
      : foldersNamed(specifier)
  }

  return {
    packageIn: (directory) => packages.get(directory),
    testsIn: (directory) => tests.get(directory),
    ownerOf(path) {
      for (const directory of ancestors(directoryOf(path))) if (packages.has(directory)) return directory
      return undefined
    },
  }
}

/** The folders of modules, by their paths in imports. */
function modulesOf(tree: SourceTree): ReadonlyMap<string, string> {
  const modules = new Map<string, string>()
  for (const [path, text] of tree.manifests) {
    if (baseName(path) !== 'go.mod') continue
    const module = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text.slice(0, 10_000))?.[1]
    if (module && !modules.has(module)) modules.set(module, directoryOf(path))
  }
  return modules
}

/**
 * Finds the folders that an import may mean where no module says how its packages are called: without modules, the path of
 * an import ends with that of the folder in its repository, or is the path of the folder below `src`.
 */
function createFolderSearch(folders: readonly string[]): (specifier: string) => readonly string[] {
  const known = new Set(folders)
  const byEnd = new Map<string, string[]>()
  for (const folder of folders) {
    for (const above of ancestors(folder)) {
      const end = above === '' ? folder : folder.slice(above.length + 1)
      const same = byEnd.get(end)
      if (same) same.push(folder)
      else byEnd.set(end, [folder])
    }
  }
  return (specifier) => {
    const parts = specifier.split('/')
    const ends = parts.map((_part, at) => parts.slice(at).join('/'))
    const longest = ends.find((end) => known.has(end))
    // `github.com/owner/name` may be the package in the root of this repository.
    const root = parts.length >= 3 && parts[0]?.includes('.') === true && known.has('') ? [''] : []
    return [...(longest === undefined ? root : [longest]), ...(byEnd.get(specifier) ?? [])]
  }
}

function directoryOfImport(specifier: string, from: string, modules: ReadonlyMap<string, string>): string | undefined {
  if (specifier.startsWith('./') || specifier.startsWith('../')) return joinPath(from, specifier)
  for (const prefix of ancestors(specifier)) {
    const root = modules.get(prefix)
    if (prefix !== '' && root !== undefined) return joinPath(root, `.${specifier.slice(prefix.length)}`)
  }
  return undefined
}
