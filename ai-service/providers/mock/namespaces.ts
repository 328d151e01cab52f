import { posix } from 'node:path'
import type { Facts } from '../../repository/facts.ts'
import { folderOf, packageOf } from '../../../engines/test-names/paths.ts'
import { isTestFile } from '../../repository/source-files.ts'
import { isIdentifier } from './symbols.ts'

/** The innermost Go module around a file, where the analysis names it. */
export function goModuleOf(path: string, facts: Facts): { folder: string; name: string } | undefined {
  const modules = facts.manifests
    .filter((manifest) => posix.basename(manifest.path) === 'go.mod')
    .map((manifest) => ({ folder: posix.dirname(manifest.path), name: manifest.name }))
    .toSorted((a, b) => b.folder.length - a.folder.length)
  const around = modules.find(({ folder }) => folder === '.' || path.startsWith(`${folder}/`))
  const folder = around?.folder ?? '.'
  const name = around?.name ?? (folder === '.' ? facts.projectName : undefined)
  return name === undefined ? undefined : { folder, name }
}

const sourceRoot = /^(?:src|lib)$/

/**
 * The namespace of a PHP file. Composer knows it; a path shows it for Laravel's `app`, and where all of a source folder
 * lies in one folder, which is then called like the namespace: `lib/PhpParser`.
 */
export function phpNamespace(path: string, facts: Facts): string[] | undefined {
  const packages = new Set(facts.manifests.map((manifest) => folderOf(manifest.path)))
  const roots = new Set([packageOf(path, packages), ''])
  for (const root of roots) {
    const namespace = namespaceBelow(root === '' ? '' : `${root}/`, path, facts)
    if (namespace) return namespace
  }
  return undefined
}

function namespaceBelow(prefix: string, path: string, facts: Facts): string[] | undefined {
  const [source, ...folders] = posix.dirname(path.slice(prefix.length)).split('/')
  if (!folders.every((folder) => isIdentifier(folder, 'php'))) return undefined
  if (source === 'app' && facts.frameworks.some(({ name }) => /^laravel$/i.test(name))) return ['App', ...folders]
  const [vendor] = folders
  if (source === undefined || !sourceRoot.test(source) || vendor === undefined || !/^[A-Z]/.test(vendor))
    return undefined
  const siblings = facts.files.filter((file) => file.path.startsWith(`${prefix}${source}/`) && isPhp(file.path))
  const isAlone = siblings.every((file) => isTestFile(file) || file.path.startsWith(`${prefix}${source}/${vendor}/`))
  return isAlone ? folders : undefined
}

const isPhp = (path: string) => path.endsWith('.php')
