import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { declaredNames, NamesByScope } from './named-types.ts'
import type { SourceTree } from './source-tree.ts'

export const java: ResolverFamily = {
  languages: ['Java'],
  create: (tree, files) => new JavaResolver(tree, files),
}

/** Classes by package and name; those of the same package, and of wildcard imports, by being mentioned. */
class JavaResolver implements Resolver {
  readonly #tree: SourceTree
  readonly #packages = new NamesByScope()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    for (const file of files) {
      const namespace = tree.facts(file)?.namespace ?? ''
      for (const name of declaredNames(tree, file)) this.#packages.add(namespace, name, file)
    }
  }

  link(links: LinkCollector): void {
    const facts = this.#tree.facts(links.from)
    this.#useMentioned(links, facts?.namespace ?? '')
    for (const { specifier, names } of facts?.imports ?? []) {
      if (names.includes('*')) this.#useMentioned(links, specifier)
      // Nested classes and static members are found at the class that holds them.
      const segments = specifier.split('.')
      for (let end = segments.length; end > 1; end -= 1) {
        const className = segments[end - 1] ?? ''
        const files = this.#packages.get(segments.slice(0, end - 1).join('.'))?.filesOf(className) ?? []
        for (const file of files) links.add(file, [className, ...names.filter((name) => name !== '*')])
        if (files.length > 0) break
      }
    }
  }

  #useMentioned(links: LinkCollector, namespace: string): void {
    const names = this.#packages.get(namespace)
    if (!names) return
    for (const reference of this.#tree.references(links.from)) {
      for (const file of names.filesOf(reference)) links.add(file, [reference])
    }
  }
}
