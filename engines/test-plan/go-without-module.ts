import { isWithin } from '../test-names/paths.ts'
import type { Folder } from './folder.ts'
import { quoted } from './command-line.ts'

/** Enough files to see how the packages name each other. */
const maxRead = 40
const notPackages = /(?:^|\/)(?:vendor|testdata|node_modules|examples?|_[^/]*|\.[^/]*)\//
const importPath = /^[a-z0-9.-]+\.[a-z]+(?:\/[\w.~-]+)+$/i

/** Whether the folder has Go tests that belong to no module. */
export function isWithoutModule(folder: Folder): boolean {
  if (folder.nearest('go.mod', 'go.work') !== undefined) return false
  if (folder.paths.some((path) => path.endsWith('go.mod') && !notPackages.test(path))) return false
  return folder.paths.some((path) => path.endsWith('_test.go') && !notPackages.test(path))
}

/** Finds the path by which packages of the folder import each other. */
export async function modulePathOf(folder: Pick<Folder, 'paths' | 'read'>): Promise<string> {
  const files = folder.paths.filter((path) => path.endsWith('.go') && !notPackages.test(path))
  const folders = new Set(files.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  // Tests in a package of their own import the package beside them.
  const first = files.toSorted((a, b) => Number(b.endsWith('_test.go')) - Number(a.endsWith('_test.go')))
  for (const file of first.slice(0, maxRead)) {
    const source = ((await folder.read(file)) ?? '').slice(0, 50_000)
    const place = file.slice(0, Math.max(0, file.lastIndexOf('/')))
    const [, own] = /^package \w+ *\/\/ *import "([^"\s]+)"/m.exec(source) ?? []
    if (own && importPath.test(own) && (own === place || own.endsWith(`/${place}`) || place === '')) {
      return place === '' ? own : own.slice(0, -place.length - 1)
    }
    const [, tested] = /^package (\w+)_test$/m.exec(source) ?? []
    for (const [, path = ''] of source.matchAll(/^(?:import |\t)(?:[\w.]+ )?"([^"\s]+)"/gm)) {
      if (!importPath.test(path)) continue
      if (place === '' && tested !== undefined && path.endsWith(`/${tested}`)) return path
      const inside = [...folders].find((one) => one !== '' && path.endsWith(`/${one}`))
      if (inside !== undefined) return path.slice(0, -inside.length - 1)
    }
  }
  return 'example.com/module'
}

const place = '{deps}/module'

/** The variable by which go reads a `go.mod` that the repository does not have. GOPATH is not supported any more. */
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
