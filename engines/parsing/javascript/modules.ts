import type {
  CallExpression,
  ExportAllDeclaration,
  ExportNamedDeclaration,
  ImportDeclaration,
  ModuleExportName,
  Node,
  TSImportEqualsDeclaration,
} from 'oxc-parser'
import type { FactsBuilder } from '../facts-builder.ts'
import { type Child, literalPrefix, literalText, memberPath, unwrap } from './syntax.ts'

/** Where a local name was imported from, so that `import` and `export` of a name in two steps count as passing it on. */
type ImportedNames = Map<string, { specifier: string; name: string }>

/** Records imports and exports of one ES or CommonJS module. */
export class ModuleFacts {
  readonly #facts: FactsBuilder
  readonly #imported: ImportedNames = new Map()
  readonly #exportedLocals: { name: string; local: string }[] = []
  readonly #folders = new Set<string>()
  #loadsUnknown = false

  constructor(facts: FactsBuilder) {
    this.#facts = facts
  }

  importDeclaration(node: ImportDeclaration): void {
    const specifier = node.source.value
    const names: string[] = []
    const locals: string[] = []
    let types = 0
    for (const entry of node.specifiers) {
      const name =
        entry.type === 'ImportSpecifier'
          ? exportName(entry.imported)
          : entry.type === 'ImportDefaultSpecifier'
            ? 'default'
            : '*'
      names.push(name)
      locals.push(entry.local.name)
      this.#bind(entry.local.name, { specifier, name })
      if (entry.type === 'ImportSpecifier' && entry.importKind === 'type') types += 1
    }
    const typeOnly = node.importKind === 'type' || (types > 0 && types === names.length)
    this.#facts.import({ specifier, names, ...renamed(names, locals), ...(typeOnly && { typeOnly }) })
  }

  importEquals(node: TSImportEqualsDeclaration): void {
    if (node.moduleReference.type !== 'TSExternalModuleReference') return
    const specifier = node.moduleReference.expression.value
    this.#bind(node.id.name, { specifier, name: '*' })
    const typeOnly = node.importKind === 'type'
    this.#facts.import({ specifier, names: ['*'], locals: [node.id.name], ...(typeOnly && { typeOnly }) })
  }

  /** The names of `export { … }` and `export { … } from`; a declaration behind `export` is the walker's. */
  exportSpecifiers(node: ExportNamedDeclaration): void {
    if (!node.source) {
      for (const entry of node.specifiers) this.exportLocal(exportName(entry.exported), exportName(entry.local))
      return
    }
    const specifier = node.source.value
    const names = node.specifiers.map((entry) => exportName(entry.local))
    const typeOnly = node.exportKind === 'type'
    this.#facts.import({ specifier, names, ...(typeOnly && { typeOnly }), reexport: true })
    for (const entry of node.specifiers) this.exportFrom(exportName(entry.exported), exportName(entry.local), specifier)
  }

  exportAll(node: ExportAllDeclaration): void {
    const specifier = node.source.value
    const typeOnly = node.exportKind === 'type'
    this.#facts.import({ specifier, names: ['*'], ...(typeOnly && { typeOnly }), reexport: true })
    if (node.exported) this.exportFrom(exportName(node.exported), '*', specifier)
    else this.#facts.export({ name: '*', from: specifier })
  }

  exportLocal(name: string, local: string): void {
    this.#facts.exportName(local)
    this.#exportedLocals.push({ name, local })
  }

  /** Names bound by a declaration behind `export`. */
  exportBinding(pattern: Child): void {
    for (const name of boundNames(pattern)) this.exportLocal(name, name)
  }

  exportFrom(name: string, imported: string, from: string): void {
    this.#facts.export(imported === name ? { name, from } : { name, local: imported, from })
  }

  /**
   * `require('x')` and `import('x')` with a literal. What is taken from the module shows in the pattern that the
   * result is bound to, or in the property read from it.
   */
  load(node: Node, bound?: Child): boolean {
    const specifier = loadedSpecifier(node)
    if (specifier === undefined) return false
    const names: string[] = []
    const locals: string[] = []
    const take = (name: string, local: string) => {
      names.push(name)
      locals.push(local)
      this.#bind(local, { specifier, name })
    }
    if (bound?.type === 'Identifier') take('*', bound.name)
    else if (bound?.type === 'ObjectPattern') {
      for (const property of bound.properties) {
        if (property.type === 'RestElement') for (const local of boundNames(property)) take('*', local)
        else if (property.key.type === 'Identifier') {
          const [local, ...others] = boundNames(property.value)
          take(property.key.name, local !== undefined && others.length === 0 ? local : property.key.name)
        }
      }
    } else if (node.type === 'ImportExpression') {
      names.push('*')
    }
    const fact = { specifier, names, ...renamed(names, locals) }
    if (bound) this.#facts.localImport(fact)
    else this.#facts.import(fact)
    return true
  }

  #bind(local: string, imported: { specifier: string; name: string }): void {
    this.#imported.set(local, imported)
    this.#facts.uses.receivers?.import(local, imported.specifier)
  }

  /** Loads by a computed path: any of the files in the folder that the path begins with. */
  loadSome(path: Child): void {
    const folder = path ? folderOf(unwrap(path)) : undefined
    if (folder === undefined) this.#loadsUnknown = true
    else this.#facts.import({ specifier: `${folder}/*`, names: [] })
  }

  /** Remembers the folder that a path is made of, for modules that are loaded by such a path. */
  folder(call: CallExpression): void {
    const [start, ...parts] = call.arguments
    if (start?.type !== 'Identifier' || start.name !== '__dirname') return
    const texts = parts.map(literalText)
    const known = texts.includes(undefined) ? texts.slice(0, texts.indexOf(undefined)) : texts
    const folder = relativeFolder(`./${known.join('/')}`)
    if (folder !== undefined && !/\.\w+$/.test(folder)) this.#folders.add(folder)
  }

  /** `exports.name = require('x')`, `module.exports = require('x')` and the like. */
  passOn(name: string, specifier: string, imported: string): void {
    this.#facts.import({ specifier, names: [imported], reexport: true })
    if (name === '*') this.#facts.export({ name: '*', from: specifier })
    else this.exportFrom(name, imported, specifier)
  }

  finish(): void {
    if (this.#loadsUnknown) {
      for (const folder of this.#folders) this.#facts.import({ specifier: `${folder}/*`, names: [] })
    }
    for (const { name, local } of this.#exportedLocals) {
      const source = this.#imported.get(local)
      if (source) this.exportFrom(name, source.name, source.specifier)
      else this.#facts.export(local === name ? { name } : { name, local })
    }
  }
}

/** Local names need saying only where they differ from the imported ones. */
function renamed(names: readonly string[], locals: string[]): { locals: string[] } | undefined {
  return locals.some((local, index) => local !== names[index]) ? { locals } : undefined
}

/** The module that a call or dynamic import loads, if it says so literally. */
export function loadedSpecifier(node: Node): string | undefined {
  const inner = node.type === 'AwaitExpression' ? unwrap(node.argument) : node
  if (inner.type === 'ImportExpression') return literalText(inner.source)
  if (inner.type !== 'CallExpression' || inner.arguments.length !== 1) return undefined
  if (inner.callee.type !== 'Identifier' || inner.callee.name !== 'require') return undefined
  return literalText(inner.arguments[0])
}

/** `require(…)`, and what bundlers do with `import.meta.glob(…)` and `require.context(…)`. */
export function loadsModules({ callee }: CallExpression): boolean {
  if (callee.type === 'Identifier') return callee.name === 'require'
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false
  const { object, property } = callee
  if (property.name === 'context') return object.type === 'Identifier' && object.name === 'require'
  return object.type === 'MetaProperty' && (property.name === 'glob' || property.name === 'globEager')
}

/** `./plugins` of `'./plugins/' + name` and of `./plugins/*.js`. */
function folderOf(path: Node): string | undefined {
  const whole = literalText(path)
  if (whole !== undefined && !whole.includes('*')) return relativeFolder(whole)
  const prefix = whole?.slice(0, whole.indexOf('*')) ?? literalPrefix(path)
  return relativeFolder(prefix.slice(0, prefix.lastIndexOf('/')))
}

/** Above the own folder, everything would be meant. */
function relativeFolder(folder: string): string | undefined {
  return /^\.{1,2}\/.*\w/.test(folder) ? folder.replace(/\/$/, '') : undefined
}

/** `__exportStar(require('x'), exports)` and `__export(require('x'))`, as compilers write `export * from`. */
export function starExport(node: CallExpression): string | undefined {
  const callee = memberPath(node.callee)?.at(-1)
  if (callee !== '__exportStar' && callee !== '__export') return undefined
  const [argument] = node.arguments
  return argument && loadedSpecifier(argument)
}

/** What an assignment to a CommonJS export names: the empty string for `module.exports`, undefined for others. */
export function exportTarget(target: Node): string | undefined {
  if (target.type !== 'MemberExpression') return undefined
  const path = memberPath(target)
  if (path?.[0] === 'module' && path[1] === 'exports') return path.slice(2).join('.')
  return path?.[0] === 'exports' ? path.slice(1).join('.') : undefined
}

export function exportName(node: ModuleExportName): string {
  return node.type === 'Literal' ? node.value : node.name
}

/** The variables that a pattern declares. */
export function boundNames(pattern: Child): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((entry) => boundNames(entry.type === 'RestElement' ? entry : entry.value))
    case 'ArrayPattern':
      return pattern.elements.flatMap(boundNames)
    case 'AssignmentPattern':
      return boundNames(pattern.left)
    case 'RestElement':
      return boundNames(pattern.argument)
    default:
      return []
  }
}
