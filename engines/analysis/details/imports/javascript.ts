import { posix } from 'node:path'
import type { ImportWanted, TestedFiles } from '../tested-files.ts'
import type { ScriptImport } from './script-imports.ts'

/** Returns the import as the tests nearby write it: their specifier and extension, moved to the folder of the new test. */
export function javaScriptImport(wanted: ImportWanted, files: TestedFiles): string | undefined {
  const { styleTests } = wanted
  const styles = styleTests.map((test) => ({ test, imports: files.imports(test) }))
  for (const { test, imports } of styles) {
    const same = imports.find((one) => bindingOf(one, wanted.root) !== undefined && leadsToSource(one, test, files))
    const binding = same && bindingOf(same, wanted.root)
    if (same && binding) return followed(same, binding, test, wanted, files)
  }
  for (const { test, imports } of styles) {
    const whole = imports.find((one) => one.isWhole && hasExport(one, test, wanted, files))
    if (whole) return followed(whole, named(wanted.root), test, wanted, files)
  }
  const isRequire = usesRequire(wanted, styles.flatMap(({ imports }) => imports), files) // prettier-ignore
  const exported = exportOf(wanted, files)
  if (!exported) return undefined
  for (const { test, imports } of styles) {
    const same = imports.find((one) => targetOf(one.specifier, test, files)?.path === wanted.path)
    if (same) return followed({ ...same, isRequire }, exported, test, wanted, files)
  }
  const ending =
    styles.flatMap(({ test, imports }) => endingOf(imports, test, files) ?? [])[0] ?? usualEnding(wanted, files)
  return written(isRequire, exported, relative(wanted.testPath, withEnding(wanted.path, ending)))
}

/** How a name is imported: as the default, as one of several names, or as a member of everything. */
interface Binding {
  how: 'default' | 'named'
  name: string
  local: string
}

function bindingOf({ defaultName, names }: ScriptImport, root: string): Binding | undefined {
  if (defaultName === root) return { how: 'default', name: 'default', local: root }
  const found = names.find(({ name }) => name === root)
  return found && named(root)
}

const named = (name: string): Binding => ({ how: 'named', name, local: name })

/** Whether a module that a test takes as a whole exports the symbol under its name, itself or from other files. */
function hasExport(
  { specifier }: ScriptImport,
  test: string,
  { root, path }: ImportWanted,
  files: TestedFiles,
): boolean {
  const first = targetOf(specifier, test, files)?.path
  const waiting = first === undefined || first === path ? [] : [first]
  for (const module of waiting) {
    if (waiting.length > maxModules) return false
    for (const { name, from } of files.facts(module)?.exports ?? []) {
      if (name === root && from !== undefined) return true
      const next = name === '*' && from !== undefined ? targetOf(from, module, files)?.path : undefined
      if (next === path && files.facts(path)?.exports.some((exported) => exported.name === root)) return true
      if (next !== undefined && !waiting.includes(next)) waiting.push(next)
    }
  }
  return false
}

const maxModules = 50

/** Writes an import like one of another test. An ES module can neither call `require` nor leave out extensions. */
function followed(
  { specifier, isRequire }: ScriptImport,
  binding: Binding,
  test: string,
  wanted: ImportWanted,
  files: TestedFiles,
): string {
  const target = targetOf(specifier, test, files)
  if (!isRequire || mayRequire(wanted.testPath, files) || !target) {
    return written(isRequire && mayRequire(wanted.testPath, files), binding, moved(specifier, test, wanted))
  }
  return written(false, binding, relative(wanted.testPath, target.path))
}

function mayRequire(testPath: string, files: TestedFiles): boolean {
  const extension = posix.extname(testPath)
  if (extension === '.cjs' || extension === '.cts') return true
  const manifest = files.manifestAround(testPath, 'package.json')?.text ?? ''
  return /^\.[jt]sx?$/.test(extension) && !/"type"\s*:\s*"module"/.test(manifest)
}

function written(isRequire: boolean, { how, name, local }: Binding, specifier: string): string {
  const list = name === local ? name : `${name}${isRequire ? ': ' : ' as '}${local}`
  const names = how === 'default' ? local : `{ ${list} }`
  return isRequire ? `const ${names} = require('${specifier}')` : `import ${names} from '${specifier}'`
}

/** How the file itself exports the symbol. */
function exportOf({ path, root, isDefault }: ImportWanted, files: TestedFiles): Binding | undefined {
  const exports = files.facts(path)?.exports ?? []
  const own = exports.find(
    ({ name, local, from }) => from === undefined && (local ?? name) === root && name !== 'default',
  )
  if (own) return named(own.name)
  const asDefault = exports.some(({ name, local }) => name === 'default' && (isDefault || local === root || root === 'default')) // prettier-ignore
  if (!asDefault) return undefined
  return { how: 'default', name: 'default', local: root === 'default' ? localName(path) : root }
}

/** A name for a default export that has none: `parseUrl` for `parse-url.ts`. */
function localName(path: string): string {
  const { dir, name } = posix.parse(path)
  const base = name === 'index' ? posix.basename(dir) : name
  const words = base.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const camel = words
    .map((word, index) => (index === 0 ? word : `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`))
    .join('')
  return /^[A-Za-z]/.test(camel) ? camel : 'subject'
}

/** Whether an import is of the project's own code: a relative path outside the tests, an alias, or the package itself. */
function leadsToSource({ specifier }: ScriptImport, test: string, files: TestedFiles): boolean {
  if (specifier.startsWith('.')) {
    const target = targetOf(specifier, test, files)
    return target !== undefined && !files.isTest(target.path)
  }
  if (/^(?:[@~]\/|#)/.test(specifier)) return true
  const name = packageName(test, files)
  return name !== undefined && (specifier === name || specifier.startsWith(`${name}/`))
}

function packageName(path: string, files: TestedFiles): string | undefined {
  const manifest = files.manifestAround(path, 'package.json')
  return manifest && /"name"\s*:\s*"([^"]{1,200})"/.exec(manifest.text)?.[1]
}

/** A specifier, seen from another test. Only relative ones change. */
function moved(specifier: string, test: string, { testPath }: ImportWanted): string {
  if (!specifier.startsWith('.')) return specifier
  const target = posix.join(posix.dirname(test), specifier)
  const path = relative(testPath, target.replace(/(?!^)\/$/, ''))
  return specifier.endsWith('/') && !path.endsWith('/') ? `${path}/` : path
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to)
  if (path === '') return '.'
  return path.startsWith('.') ? path : `./${path}`
}

/** How a specifier ends: as the file does, without extension, with that of the compiled file, or as a folder. */
type Ending = 'exact' | 'none' | 'compiled'

const compiled: Readonly<Record<string, string>> = { '.ts': '.js', '.tsx': '.js', '.mts': '.mjs', '.cts': '.cjs' }
const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte']

function targetOf(
  specifier: string,
  test: string,
  files: TestedFiles,
): { path: string; ending: Ending | 'folder' } | undefined {
  if (!specifier.startsWith('.')) return undefined
  const base = posix.join(posix.dirname(test), specifier).replace(/\/$/, '')
  if (files.has(base)) return { path: base, ending: 'exact' }
  const added = extensions.map((extension) => base + extension).find((path) => files.has(path))
  if (added !== undefined) return { path: added, ending: 'none' }
  const { ext } = posix.parse(base)
  const sources = Object.keys(compiled).filter((extension) => compiled[extension] === ext)
  const source = sources.map((extension) => base.slice(0, -ext.length) + extension).find((path) => files.has(path))
  if (source !== undefined) return { path: source, ending: 'compiled' }
  const index = extensions.map((extension) => posix.join(base, `index${extension}`)).find((path) => files.has(path))
  return index === undefined ? undefined : { path: index, ending: 'folder' }
}

function endingOf(imports: readonly ScriptImport[], test: string, files: TestedFiles): Ending | undefined {
  for (const { specifier } of imports) {
    const target = targetOf(specifier, test, files)
    if (target && target.ending !== 'folder') return target.ending
  }
  return undefined
}

function withEnding(path: string, ending: Ending): string {
  const { ext } = posix.parse(path)
  const bare = path.slice(0, path.length - ext.length)
  // Components are never imported without their extension.
  if (ending === 'exact' || !(ext in compiled || /^\.[cm]?jsx?$/.test(ext))) return path
  return ending === 'compiled' ? bare + (compiled[ext] ?? ext) : bare
}

/** Node, and Bun beside it, load files by their full names; other runners complete them. */
function usualEnding({ path, framework }: ImportWanted, files: TestedFiles): Ending {
  if (framework === 'node:test' || framework === 'bun:test') return 'exact'
  const isTyped = posix.extname(path) in compiled
  if (!isTyped) return 'exact'
  const compiler = files.manifestAround(path, 'tsconfig.json')?.text ?? ''
  if (/"allowImportingTsExtensions"\s*:\s*true/.test(compiler)) return 'exact'
  return /"module(?:Resolution)?"\s*:\s*"node(?:16|next)"/i.test(compiler) ? 'compiled' : 'none'
}

/** CommonJS is what the tests nearby or the package use. */
function usesRequire(
  { testPath, framework }: ImportWanted,
  imports: readonly ScriptImport[],
  files: TestedFiles,
): boolean {
  if (!mayRequire(testPath, files)) return false
  const [first] = imports
  return first ? first.isRequire : /^\.c?jsx?$/.test(posix.extname(testPath)) && framework !== 'vitest'
}
