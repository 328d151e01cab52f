import { posix } from 'node:path'
import { folderOf } from '../../../test-names/paths.ts'
import type { ImportWanted, TestedFiles } from '../tested-files.ts'

/** A test in the same package needs no import: its package clause is what it begins with. */
export function goImport(
  { path, testPath, isExported, styleTests }: ImportWanted,
  files: TestedFiles,
): string | undefined {
  const own = files.facts(path)?.namespace
  if (own === undefined) return undefined
  const beside = styleTests.filter((test) => folderOf(test) === folderOf(testPath))
  const used = beside.map((test) => files.facts(test)?.namespace).find((name) => name === own || name === `${own}_test`)
  const address = used === `${own}_test` && isExported ? addressOf(path, files) : undefined
  return address === undefined ? `package ${own}` : `package ${own}_test; import "${address}"`
}

function addressOf(path: string, files: TestedFiles): string | undefined {
  const manifest = files.manifestAround(path, 'go.mod')
  const module = manifest && /^module\s+"?([^\s"]{1,300})/m.exec(manifest.text)?.[1]
  if (module === undefined) return undefined
  const folder = folderOf(path)
  const below = manifest?.folder === '' ? folder : folder.slice((manifest?.folder.length ?? 0) + 1)
  return posix.join(module, below)
}

/** A Java test has the package of its class; from another package it imports the class. */
export function javaImport({ path, root, testPath }: ImportWanted, files: TestedFiles): string | undefined {
  const own = files.facts(path)?.namespace
  if (own === undefined) return undefined
  const folder = own.replaceAll('.', '/')
  const isInPackage = `/${folderOf(testPath)}`.endsWith(`/${folder}`)
  return isInPackage ? `package ${own};` : `import ${own}.${root};`
}

export function cSharpImport({ path }: ImportWanted, files: TestedFiles): string | undefined {
  const own = files.facts(path)?.namespace
  return own === undefined ? undefined : `using ${own};`
}

export function phpImport({ path, root, kind }: ImportWanted, files: TestedFiles): string | undefined {
  const own = files.facts(path)?.namespace
  if (own === undefined) return undefined
  return `use ${kind === 'function' ? 'function ' : ''}${own}\\${root}`
}

/** The helper that the tests nearby load, which loads the code, or else the file itself. */
export function rubyImport({ path, testPath, styleTests }: ImportWanted, files: TestedFiles): string | undefined {
  const library = `/${path}`.split('/lib/', 2)[1]?.replace(/\.rb$/, '')
  for (const test of styleTests) {
    const requires = files.facts(test)?.imports.filter(({ names }) => names.length === 0).map(({ specifier }) => specifier) ?? [] // prettier-ignore
    const own = requires.find((specifier) => specifier === library)
    if (own !== undefined) return `require '${own}'`
    const direct = requires.find((specifier) => specifier.startsWith('.') && `${posix.join(folderOf(test), specifier)}.rb` === path) // prettier-ignore
    if (direct !== undefined) return `require_relative '${besides(testPath, path.slice(0, -3))}'`
    const helper = requires.find((specifier) => /(?:^|[/_])(?:test|spec|rails|mini_?test)?_?helper$/.test(specifier))
    if (helper === undefined) continue
    if (!helper.startsWith('.')) return `require '${helper}'`
    return `require_relative '${besides(testPath, posix.join(folderOf(test), helper))}'`
  }
  return `require_relative '${besides(testPath, path.slice(0, -3))}'`
}

const besides = (test: string, target: string) => posix.relative(folderOf(test), target)

/** Unit tests of Rust are in the file itself; those in `tests/` see only what the crate exports. */
export function rustImport({ path, root, testPath, isExported }: ImportWanted, files: TestedFiles): string | undefined {
  if (testPath === path) return 'use super::*;'
  const manifest = files.manifestAround(path, 'Cargo.toml')
  const crate = manifest && /^name\s*=\s*"([\w-]{1,100})"/m.exec(manifest.text)?.[1]?.replaceAll('-', '_')
  if (crate === undefined || manifest === undefined || !isExported) return undefined
  const below = manifest.folder === '' ? path : path.slice(manifest.folder.length + 1)
  const modules = below.replace(/^src\//, '').replace(/\.rs$/, '').split('/') // prettier-ignore
  const last = modules.at(-1)
  const named = last === 'lib' || last === 'mod' || last === 'main' ? modules.slice(0, -1) : modules
  return `use ${[crate, ...named, root].join('::')};`
}
