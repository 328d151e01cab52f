import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Import {
  /** Path within the repository, or the name of a package. */
  target: string
  isPackage: boolean
  isTypeOnly: boolean
}

/** Imports by file; paths are relative to the repository. */
export type Imports = ReadonlyMap<string, readonly Import[]>

/** Reads the imports of every TypeScript file that git tracks or would track. */
export function readImports(root: string): Imports {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: root,
    encoding: 'utf8',
  })
  // Third-party programs on which verdicts are tested.
  const files = list.split('\n').filter((file) => file !== '' && !/\/ground-truth\/.+\//.test(file))
  const present = files.filter((file) => existsSync(join(root, file)))
  return new Map(present.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]))
}

/** Reads the imports of one file: static ones, re-exports, and dynamic ones of a constant. */
export function importsOf(file: string, source: string): Import[] {
  const { module } = parseSync(file, source)
  const found: Import[] = []
  const add = (specifier: string, isTypeOnly: boolean) => {
    if (specifier.endsWith('.css')) return
    const isPackage = !specifier.startsWith('.')
    const target = isPackage ? specifier : posix.normalize(posix.join(posix.dirname(file), specifier))
    found.push({ target, isPackage, isTypeOnly })
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    add(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType))
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) if (moduleRequest) add(moduleRequest.value, isType)
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const [, specifier] = /^['"](.+)['"]$/.exec(source.slice(moduleRequest.start, moduleRequest.end)) ?? []
    if (specifier !== undefined) add(specifier, false)
  }
  return found
}
