import type { SourceTree } from './source-tree.ts'

/** How many files may declare one name before mentioning it says nothing about which of them is meant. */
const maxDeclarations = 8

/** Names declared by the files of a package, namespace or directory that see each other without an import. */
export class DeclaredNames {
  readonly #files = new Map<string, number[]>()

  add(name: string, file: number): void {
    const files = this.#files.get(name)
    if (!files) this.#files.set(name, [file])
    else if (files.at(-1) !== file) files.push(file)
  }

  /** Empty where too many files declare the name for it to say which is meant. */
  filesOf(name: string): readonly number[] {
    const files = this.#files.get(name) ?? []
    return files.length <= maxDeclarations ? files : []
  }
}

/** Names that the other files of its package can use of a file: what it exports, and its outermost symbols. */
export function declaredNames(tree: SourceTree, file: number): Set<string> {
  const names = new Set<string>()
  const facts = tree.facts(file)
  for (const { name, from } of facts?.exports ?? []) if (from === undefined) names.add(name)
  for (const symbol of facts?.symbols ?? []) if (!symbol.name.includes('.')) names.add(symbol.name)
  return names
}

/** One group of names for each key: package, namespace or directory. */
export class NamesByScope {
  readonly #scopes = new Map<string, DeclaredNames>()

  add(scope: string, name: string, file: number): void {
    let names = this.#scopes.get(scope)
    if (!names) {
      names = new DeclaredNames()
      this.#scopes.set(scope, names)
    }
    names.add(name, file)
  }

  get(scope: string): DeclaredNames | undefined {
    return this.#scopes.get(scope)
  }
}
