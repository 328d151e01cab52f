import { posix } from 'node:path'
import { folderOf, packageOf, segmentsOf } from '../../../engines/test-names/paths.ts'
import type { Facts } from '../../repository/facts.ts'
import type { Language } from '../../repository/languages.ts'
import { doubleQuoted, singleQuoted } from '../../repository/safe-text.ts'
import { isTestFile } from '../../repository/source-files.ts'
import { isIdentifier } from './symbols.ts'
import type { Example } from './example.ts'

/** Names that the tests themselves use. A subject with such a name is imported under another one. */
const taken: Partial<Record<Language, { names: ReadonlySet<string>; alias: string }>> = {
  python: {
    names: new Set('pytest unittest importlib subject result value self repr dir str hasattr'.split(' ')),
    alias: 'under_test',
  },
  javascript: {
    names: new Set(
      'default describe test it expect assert fail input result subject t jest require String Object Error'.split(' '),
    ),
    alias: 'underTest',
  },
}
taken.typescript = taken.javascript

/** Returns the local name of an import in the test. */
export function localName(name: string, language: Language): string {
  const { names, alias } = taken[language] ?? {}
  return names?.has(name) && alias !== undefined ? alias : name
}

/** Rails loads the application's classes itself, so tests need no import. */
export const usesRails = ({ frameworks }: Facts) => frameworks.some(({ name }) => /^(ruby on )?rails$/i.test(name))

export const isFreeName = (name: string, language: Language) => localName(name, language) === name

/** Returns the statements that import the subject; empty in languages that use its namespace. */
export function importLine(example: Example): string {
  const { language, sourcePath, testPath, framework, givenImport } = example
  if (language === 'python') return pythonImport(example)
  const relative = posix.relative(posix.dirname(testPath), sourcePath)
  if (language === 'ruby') {
    if (usesRails(example.facts)) return `require ${framework === 'rspec' ? "'rails_helper'" : "'test_helper'"}`
    const load = givenImport?.statement ?? `require_relative ${singleQuoted(relative.replace(/\.rb$/, ''))}`
    if (framework === 'rspec') return load
    return `require '${framework === 'test-unit' ? 'test/unit' : 'minitest/autorun'}'\n${load}`
  }
  if (givenImport) return givenImport.statement
  const path = relative.startsWith('../') ? relative : `./${relative}`
  // Node and Bun import TypeScript with its extension; other runners without.
  const isExact = framework === 'node:test' || framework === 'bun:test'
  const from = singleQuoted(isExact ? path : path.replace(/\.tsx?$/, '').replace(/\.([mc])ts$/, '.$1js'))
  const root = importedName(example)
  if (root === undefined) return `import * as subject from ${from}`
  const local = localName(root, language)
  if (root === 'default') return `import ${local} from ${from}`
  return `import { ${root === local ? root : `${root} as ${local}`} } from ${from}`
}

/** The name that the test imports; undefined for a whole file. */
function importedName({ subject }: Example): string | undefined {
  if (subject.form === 'whole') return undefined
  return (subject.form === 'method' ? subject.owner : subject.path)[0]
}

/** A module whose name is not an identifier, such as `my-tool.py`, must be imported with a call. */
function pythonImport(example: Example): string {
  if (example.givenImport) return `import ${example.framework}\n\n${example.givenImport.statement}`
  const { dir, name } = posix.parse(example.sourcePath)
  const folders = segmentsOf(dir)
  const below = folders.slice(folders.indexOf('src') + 1)
  const segments = name === '__init__' ? below : [...below, name]
  const module = segments.join('.')
  const root = importedName(example)
  const local = root === undefined ? 'subject' : localName(root, 'python')
  if (segments.length > 0 && segments.every((segment) => isIdentifier(segment, 'python'))) {
    const alias = local === root ? '' : ` as ${local}`
    return `import ${example.framework}\n\n${root === undefined ? `import ${module}` : `from ${module} import ${root}`}${alias}`
  }
  const load = `importlib.import_module(${doubleQuoted(module)})${root === undefined ? '' : `.${root}`}`
  return `import importlib\nimport ${example.framework}\n\n${local} = ${load}`
}

/** The package clause below the source root, if the path shows one. */
export function javaPackage(sourcePath: string): string {
  const folders = /(?:^|\/)(?:src\/(?:main|test)\/java|src|java)\/(.+)\/[^/]*$/s.exec(sourcePath)?.[1]?.split('/')
  return folders?.every((folder) => isIdentifier(folder, 'java')) ? `package ${folders.join('.')};\n` : ''
}

/** By convention a C# namespace repeats the folders below `src`. */
export function csharpUsing(sourcePath: string): string {
  const folders = posix.dirname(sourcePath).split('/')
  const names = folders.slice(folders.indexOf('src') + 1).flatMap((folder) => folder.split('.'))
  return names.length > 0 && names.every((name) => isIdentifier(name, 'csharp')) ? `using ${names.join('.')};` : ''
}

/** Returns the Go package of a file: from its source, or else guessed from its folder or module. */
export function goPackage({ facts, sourcePath, smoke }: Pick<Example, 'facts' | 'sourcePath' | 'smoke'>): {
  name: string
  isGuess: boolean
} {
  if (smoke?.packageName !== undefined) return { name: smoke.packageName, isGuess: false }
  const folder = posix.dirname(sourcePath)
  const folders = folder.split('/')
  if (posix.basename(sourcePath) === 'main.go' || folders.at(-2) === 'cmd') return { name: 'main', isGuess: false }
  const module = goModuleOf(sourcePath, facts)
  const isRoot = module !== undefined && module.folder === folder
  const parts = isRoot ? module.name.split('/') : folders
  const last = parts.findLast((part) => part !== '.' && !/^v\d+$/.test(part)) ?? ''
  const own = last.replace(/\.v\d+$/, '')
  const plain = own.toLowerCase().replace(/^go-|[-.]go$/g, '').replace(/[^a-z0-9_]/g, '') // prettier-ignore
  const name = plain === 'main' || !isIdentifier(plain, 'go') ? 'subject' : plain
  return { name, isGuess: name !== own || (!isRoot && parts.at(-1) !== last) }
}

/** Finds the innermost Go module of a file, if the analysis names it. */
function goModuleOf(path: string, facts: Facts): { folder: string; name: string } | undefined {
  const modules = facts.manifests
    .filter((manifest) => posix.basename(manifest.path) === 'go.mod')
    .map((manifest) => ({ folder: posix.dirname(manifest.path), name: manifest.name }))
    .toSorted((a, b) => b.folder.length - a.folder.length)
  const around = modules.find(({ folder }) => folder === '.' || path.startsWith(`${folder}/`))
  const folder = around?.folder ?? '.'
  const name = around?.name ?? (folder === '.' ? facts.projectName : undefined)
  return name === undefined ? undefined : { folder, name }
}

/**
 * Returns the namespace of a PHP file: from composer.json, from Laravel's `app` folder, or from a source folder with
 * only one subfolder, which then has the name of the namespace, such as `lib/PhpParser`.
 */
export function phpNamespace(path: string, facts: Facts): string[] | undefined {
  const packages = new Set(facts.manifests.map((manifest) => folderOf(manifest.path)))
  for (const root of new Set([packageOf(path, packages), ''])) {
    const namespace = namespaceBelow(root === '' ? '' : `${root}/`, path, facts)
    if (namespace) return namespace
  }
  return undefined
}

function namespaceBelow(prefix: string, path: string, facts: Facts): string[] | undefined {
  const [source = '', ...folders] = posix.dirname(path.slice(prefix.length)).split('/')
  if (!folders.every((folder) => isIdentifier(folder, 'php'))) return undefined
  if (source === 'app' && facts.frameworks.some(({ name }) => /^laravel$/i.test(name))) return ['App', ...folders]
  const [vendor] = folders
  if (!/^(?:src|lib)$/.test(source) || vendor === undefined || !/^[A-Z]/.test(vendor)) return undefined
  const siblings = facts.files.filter(
    (file) => file.path.startsWith(`${prefix}${source}/`) && file.path.endsWith('.php'),
  )
  const isAlone = siblings.every((file) => isTestFile(file) || file.path.startsWith(`${prefix}${source}/${vendor}/`))
  return isAlone ? folders : undefined
}
