import { dirname } from 'node:path/posix'
import { isWithin } from '../test-names/paths.ts'
import type { Folder } from './folder.ts'
import { quoted } from './command-line.ts'

/** Enough files to see how the packages name each other. */
const maxRead = 40
const notPackages = /(?:^|\/)(?:vendor|testdata|node_modules|examples?|_[^/]*|\.[^/]*)\//
const notProduct = /(?:^|\/)(?:__)?(?:tests?|specs?|fixtures?|samples?|demos?|docs?|benchmarks?|templates?)(?:__)?\//i
const otherManifest =
  /^(?:package\.json|pyproject\.toml|setup\.py|requirements\.txt|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|[^/]+\.(?:gemspec|csproj|sln))$/
const importPath = /^[a-z0-9.-]+\.[a-z]+(?:\/[\w.~-]+)+$/i

/** Whether the folder has Go tests that belong to no module. */
export function isWithoutModule(folder: Folder): boolean {
  if (folder.nearest('go.mod', 'go.work') !== undefined) return false
  if (folder.paths.some((path) => path.endsWith('go.mod') && !notPackages.test(path))) return false
  return folder.paths.some((path) => path.endsWith('_test.go') && !notPackages.test(path))
}

/** Whether the folder is a Go program without a module. Go files of another program are fixtures or tools. */
export function isProgramWithoutModule(folder: Folder): boolean {
  if (!isWithoutModule(folder) || folder.paths.some((path) => otherManifest.test(path))) return false
  const own = folder.paths.filter((path) => path.endsWith('.go') && !notPackages.test(path) && !notProduct.test(path))
  const tested = new Set(own.filter((path) => path.endsWith('_test.go')).map((path) => dirname(path)))
  return own.some((path) => !path.endsWith('_test.go') && tested.has(dirname(path)))
}

/** Finds the path by which packages of the folder import each other. */
export async function modulePathOf(folder: Pick<Folder, 'paths' | 'read'>): Promise<string> {
  const files = folder.paths.filter((path) => path.endsWith('.go') && !notPackages.test(path))
  const folders = new Set(files.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  // Tests in a package of their own import the package beside them.
  const first = files.toSorted((a, b) => Number(b.endsWith('_test.go')) - Number(a.endsWith('_test.go')))
  for (const file of first.slice(0, maxRead)) {
    const source = ((await folder.read(file)) ?? '').slice(0, 50_000)
    const here = file.slice(0, Math.max(0, file.lastIndexOf('/')))
    const [, own] = /^package \w+ *\/\/ *import "([^"\s]+)"/m.exec(source) ?? []
    if (own && importPath.test(own) && (own === here || own.endsWith(`/${here}`) || here === '')) {
      return here === '' ? own : own.slice(0, -here.length - 1)
    }
    const [, tested] = /^package (\w+)_test$/m.exec(source) ?? []
    for (const [, path = ''] of source.matchAll(/^(?:import |\t)(?:[\w.]+ )?"([^"\s]+)"/gm)) {
      if (!importPath.test(path)) continue
      if (here === '' && tested !== undefined && path.endsWith(`/${tested}`)) return path
      const inside = [...folders].find((one) => one !== '' && path.endsWith(`/${one}`))
      if (inside !== undefined) return path.slice(0, -inside.length - 1)
    }
  }
  return 'example.com/module'
}

const place = '{deps}/module'

/** The value of GOFLAGS with which Go reads a `go.mod` outside of the repository. Current versions of Go have no GOPATH mode. */
export const outsideFlags = `-modcacherw -mod=mod -modfile=${place}/go.mod -overlay=${place}/overlay.json`

/** Returns shell commands that write the `go.mod` outside of the repository, and stay the same for each path of it. */
export function writeModule(folder: Folder, path: string): string {
  const root = folder.directory === '' ? '{root}' : `{root}/${folder.directory}`
  const overlay = JSON.stringify({ Replace: { 'ROOT/go.mod': 'PLACE/go.mod' } })
    .replace('ROOT', root)
    .replace('PLACE', place)
  return [
    `mkdir -p ${place}`,
    `{ [ -f ${place}/go.mod ] || echo ${quoted([`module ${path}`])} > ${place}/go.mod; }`,
    `echo '${overlay.replaceAll("'", '')}' > ${place}/overlay.json`,
  ].join(' && ')
}

/** Whether a part of a plan has no module of its own. */
export const lacksModule = (paths: readonly string[], directory: string): boolean =>
  !paths.some((path) => /(?:^|\/)go\.mod$/.test(path) && isWithin(path, directory))
