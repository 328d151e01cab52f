import { dirname } from 'node:path/posix'

interface Module {
  /** What names of its files begin with. */
  path: string
  /** Empty for the root of the repository. */
  folder: string
}

/** A longer name is of no file. */
const maxSegments = 64
const maxModules = 1_000

/**
 * Finds the Go modules that names of a profile begin with, for profiles that come without `go.mod`.
 *
 * @param names - as in a profile: `github.com/gorilla/mux/mux.go`
 * @param paths - of the repository's files
 */
export function findModules(names: Iterable<string>, paths: readonly string[]): Module[] {
  const known = new Set(paths)
  const folders = ['', ...paths.filter((path) => path.endsWith('/go.mod')).map((path) => dirname(path))].slice(0, 100)
  const found = new Map<string, Module>()
  for (const name of names) {
    if (!isOfModule(name) || known.has(name) || found.size >= maxModules) continue
    const module = moduleOf(name, known, folders)
    if (module) found.set(module.path, module)
  }
  // `a/b/x.go` looks like the file `x.go` of a module `a/b`, even if it is a file of `a` that the repository lost.
  const modules = [...found.values()]
  return modules.filter(
    ({ path, folder }) => !modules.some((other) => other.folder === folder && path.startsWith(`${other.path}/`)),
  )
}

/** Whether a name can begin with a module: one of a Go file that is no absolute path. */
export const isOfModule = (name: string) => /^[^/\\.:][^/\\:]*\//.test(name) && name.endsWith('.go')

function moduleOf(name: string, known: ReadonlySet<string>, folders: readonly string[]): Module | undefined {
  const segments = name.split('/')
  if (segments.length > maxSegments) return undefined
  // The name of a host alone is hardly ever that of a module.
  const first = segments[0]?.includes('.') ? 2 : 1
  for (let start = first; start < segments.length; start++) {
    const rest = segments.slice(start).join('/')
    const folder = folders.find((place) => known.has(place === '' ? rest : `${place}/${rest}`))
    if (folder !== undefined) return { path: segments.slice(0, start).join('/'), folder }
  }
  return undefined
}

/** Returns the path of a file that a profile names, in the folder of its module; the name itself outside of modules. */
export function inModuleFolder(name: string, modules: readonly Module[]): string {
  const found = modules.find(({ path }) => name.startsWith(`${path}/`))
  if (!found) return name
  const inside = name.slice(found.path.length + 1)
  return found.folder === '' ? inside : `${found.folder}/${inside}`
}
