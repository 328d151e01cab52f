import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { declaredNames, NamesByScope } from './named-types.ts'
import { ancestors, baseName, directoryOf, joinPath } from './paths.ts'
import type { SourceTree } from './source-tree.ts'

export const go: ResolverFamily = {
  languages: ['Go'],
  create: (tree, files) => new GoResolver(tree, files),
}

/** Larger packages are generated; linking each of their tests to each of their files is not worth the memory. */
const maxPackageFiles = 300

/** A Go package is a directory: imports name it by module path, and its files know each other without. */
class GoResolver implements Resolver {
  readonly #tree: SourceTree
  /** Directory of each module, by its path in imports. */
  readonly #modules = new Map<string, string>()
  readonly #packages = new NamesByScope()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    for (const [path, text] of tree.manifests) {
      if (baseName(path) !== 'go.mod') continue
      const module = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text.slice(0, 10_000))?.[1]
      if (module && !this.#modules.has(module)) this.#modules.set(module, directoryOf(path))
    }
    for (const file of files) {
      const directory = directoryOf(tree.pathOf(file))
      for (const name of declaredNames(tree, file)) this.#packages.add(directory, name, file)
      // A type's methods may be spread over the files of its package.
      for (const { name } of tree.facts(file)?.symbols ?? []) {
        const dot = name.indexOf('.')
        if (dot !== -1) this.#packages.add(directory, name.slice(dot + 1), file)
      }
    }
  }

  link(links: LinkCollector): void {
    const { from } = links
    const facts = this.#tree.facts(from)
    const own = directoryOf(this.#tree.pathOf(from))
    const isExternalTest = facts?.namespace?.endsWith('_test') === true
    if (!isExternalTest) this.#useMentioned(links, own)
    if (this.#tree.isTest(from)) this.#loadPackage(links, own)
    for (const fact of facts?.imports ?? []) {
      const directory = this.#directoryOf(fact.specifier, own)
      if (directory === undefined) continue
      if (fact.names.length > 0) this.#useMentioned(links, directory)
      else this.#loadPackage(links, directory)
    }
  }

  #useMentioned(links: LinkCollector, directory: string): void {
    const names = this.#packages.get(directory)
    if (!names) return
    for (const reference of this.#tree.references(links.from)) {
      for (const file of names.filesOf(reference)) {
        if (this.#isSource(file) || this.#tree.isTest(links.from)) links.add(file, [reference])
      }
    }
  }

  /** All of a package runs its initialization when one of its tests does, or when it is imported for effect. */
  #loadPackage(links: LinkCollector, directory: string): void {
    const files = this.#tree.inDirectory(directory)
    if (files.length > maxPackageFiles) return
    for (const file of files) if (this.#isSource(file)) links.add(file, [], { passesOn: true })
  }

  #directoryOf(specifier: string, from: string): string | undefined {
    if (specifier.startsWith('./') || specifier.startsWith('../')) return joinPath(from, specifier)
    for (const prefix of ancestors(specifier)) {
      const root = this.#modules.get(prefix)
      if (prefix === '' || root === undefined) continue
      return joinPath(root, `.${specifier.slice(prefix.length)}`)
    }
    return undefined
  }

  #isSource(file: number): boolean {
    const path = this.#tree.pathOf(file)
    return path.endsWith('.go') && !path.endsWith('_test.go')
  }
}
