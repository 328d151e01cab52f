/** Remembers which file a specifier means, which is the same for all files of a directory. */
export class ResolvedOnce {
  readonly #byDirectory = new Map<string, Map<string, number | undefined>>()
  readonly #search: (directory: string, specifier: string) => number | undefined

  constructor(search: (directory: string, specifier: string) => number | undefined) {
    this.#search = search
  }

  find(directory: string, specifier: string): number | undefined {
    let known = this.#byDirectory.get(directory)
    if (!known) {
      known = new Map()
      this.#byDirectory.set(directory, known)
    }
    if (!known.has(specifier)) known.set(specifier, this.#search(directory, specifier))
    return known.get(specifier)
  }
}
