const maxPaths = 100_000
/** Longer ones are rare, and found again. */
const maxLength = 300

/** What a process knows of paths, or of texts with a path, that analyzes a project again and again. */
export class KnownPaths<Answer> {
  readonly #answers = new Map<string, Answer>()

  find(path: string, search: () => Answer): Answer {
    const known = this.#answers.get(path)
    if (known !== undefined) return known
    const found = search()
    if (path.length <= maxLength && this.#answers.size < maxPaths) this.#answers.set(path, found)
    return found
  }
}
