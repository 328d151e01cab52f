import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { declaredNames, NamesByScope } from './named-types.ts'
import { ancestors, directoryOf } from './paths.ts'
import type { SourceTree } from './source-tree.ts'

export const cSharp: ResolverFamily = {
  languages: ['C#'],
  create: (tree, files) => new CSharpResolver(tree, files),
}

/** Types by namespace. A file sees its own namespace, those around it, and those that it or its project uses. */
class CSharpResolver implements Resolver {
  readonly #tree: SourceTree
  readonly #namespaces = new NamesByScope()
  readonly #projects = new Set<string>()
  /** Namespaces that `global using` brings into a whole project, by the project's directory. */
  readonly #global = new Map<string, Set<string>>()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    for (const path of tree.files.map((file) => file.path)) {
      if (path.endsWith('.csproj')) this.#projects.add(directoryOf(path))
    }
    for (const file of files) {
      const facts = tree.facts(file)
      for (const name of declaredNames(tree, file)) this.#namespaces.add(facts?.namespace ?? '', name, file)
      // Global usings are kept in a file of their own, which declares nothing.
      if (!facts || facts.symbols.length > 0 || facts.exports.length > 0 || facts.namespace) continue
      const project = this.#projectOf(tree.pathOf(file))
      const known = this.#global.get(project) ?? new Set()
      for (const { specifier } of facts.imports) known.add(specifier)
      this.#global.set(project, known)
    }
  }

  link(links: LinkCollector): void {
    const path = this.#tree.pathOf(links.from)
    const facts = this.#tree.facts(links.from)
    const visible = new Set(this.#global.get(this.#projectOf(path)))
    for (const { specifier } of facts?.imports ?? []) visible.add(specifier)
    const own = facts?.namespace?.split('.') ?? []
    for (let length = own.length; length >= 0; length -= 1) visible.add(own.slice(0, length).join('.'))
    for (const namespace of visible) {
      this.#useMentioned(links, namespace)
      // An alias or a static using names a type.
      const dot = namespace.lastIndexOf('.')
      const type = namespace.slice(dot + 1)
      const files = dot === -1 ? [] : (this.#namespaces.get(namespace.slice(0, dot))?.filesOf(type) ?? [])
      for (const file of files) links.add(file, [type])
    }
  }

  #useMentioned(links: LinkCollector, namespace: string): void {
    const names = this.#namespaces.get(namespace)
    if (!names) return
    for (const reference of this.#tree.references(links.from)) {
      for (const file of names.filesOf(reference)) links.add(file, [reference])
    }
  }

  #projectOf(path: string): string {
    for (const directory of ancestors(directoryOf(path))) if (this.#projects.has(directory)) return directory
    return ''
  }
}
