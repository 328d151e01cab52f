import { fields, property, readJson, texts } from './configuration.ts'
import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { DeclaredNames, declaredNames, NamesByScope } from './named-types.ts'
import { baseName, directoryOf, joinPath } from './paths.ts'
import type { SourceTree } from './source-tree.ts'

export const php: ResolverFamily = {
  languages: ['PHP'],
  create: (tree, files) => new PhpResolver(tree, files),
}

/** Classes by their namespace declarations, and by composer's PSR-4 rules where a file has no facts. */
class PhpResolver implements Resolver {
  readonly #tree: SourceTree
  readonly #namespaces = new NamesByScope()
  /** Files by what they declare, in whatever namespace. */
  readonly #everywhere = new DeclaredNames()
  /** Namespace prefix, ending in `\`, to directories; longest first. */
  readonly #prefixes: { prefix: string; directory: string }[] = []

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    for (const file of files) {
      const namespace = tree.facts(file)?.namespace ?? ''
      for (const name of declaredNames(tree, file)) {
        this.#namespaces.add(namespace, name, file)
        this.#everywhere.add(name, file)
      }
    }
    for (const [path, text] of tree.manifests) {
      if (baseName(path) !== 'composer.json') continue
      const manifest = readJson(text)
      for (const section of ['autoload', 'autoload-dev']) {
        const rules = fields(property(fields(property(manifest, section)), 'psr-4'))
        for (const [prefix, folders] of Object.entries(rules ?? {})) {
          for (const folder of texts(folders)) {
            const directory = joinPath(directoryOf(path), folder)
            if (directory !== undefined) this.#prefixes.push({ prefix, directory })
          }
        }
      }
    }
    this.#prefixes.sort((a, b) => b.prefix.length - a.prefix.length || (a.directory < b.directory ? -1 : 1))
  }

  link(links: LinkCollector): void {
    const { from } = links
    const facts = this.#tree.facts(from)
    const own = facts?.namespace ?? ''
    this.#useMentioned(links, own)
    this.#useBelow(links, own)
    for (const { specifier, names } of facts?.imports ?? []) {
      if (names.length === 0) {
        for (const start of [directoryOf(this.#tree.pathOf(from)), '']) {
          const included = this.#tree.idOf(joinPath(start, specifier) ?? '')
          if (included !== undefined) links.add(included, [])
        }
        continue
      }
      const slash = specifier.lastIndexOf('\\')
      const name = specifier.slice(slash + 1)
      const scope = slash === -1 ? '' : specifier.slice(0, slash)
      const files = this.#namespaces.get(scope)?.filesOf(name) ?? []
      for (const file of files) links.add(file, [name])
      if (files.length > 0) continue
      const placed = this.#placed(specifier)
      if (placed !== undefined) links.add(placed, [name])
      // `use App\Models;` makes `Models\User` sayable.
      else this.#useMentioned(links, specifier)
    }
  }

  #useMentioned(links: LinkCollector, namespace: string): void {
    const names = this.#namespaces.get(namespace)
    if (!names) return
    for (const reference of this.#tree.references(links.from)) {
      for (const file of names.filesOf(reference)) links.add(file, [reference])
    }
  }

  /** `new Configuration\Builder` inside `App` is `App\Configuration\Builder`: facts keep the last name only. */
  #useBelow(links: LinkCollector, namespace: string): void {
    if (namespace === '') return
    for (const reference of this.#tree.references(links.from)) {
      const files = this.#everywhere.filesOf(reference)
      const below = files.filter((file) => this.#tree.facts(file)?.namespace?.startsWith(`${namespace}\\`))
      if (below.length === 1 && below[0] !== undefined) links.add(below[0], [reference])
    }
  }

  #placed(specifier: string): number | undefined {
    for (const { prefix, directory } of this.#prefixes) {
      if (!specifier.startsWith(prefix)) continue
      const rest = specifier.slice(prefix.length).replaceAll('\\', '/')
      const file = this.#tree.idOf(joinPath(directory, `${rest}.php`) ?? '')
      if (file !== undefined) return file
    }
    return undefined
  }
}
