interface Named {
  suite: string
  name: string
  file: string | null
}

const leastSimilarity = 0.6
const maxRenames = 3

/**
 * Returns the tests that a new test may have been before it was renamed or moved, the most likely first: those with the
 * same name elsewhere, or with a similar name in the same file.
 *
 * @param gone - tests that runs no longer contain
 */
export function likelyRenames<Test extends Named>(added: Named, gone: readonly Test[]): Test[] {
  return gone
    .map((test) => ({ test, similarity: similarityOf(added, test) }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, maxRenames)
    .map(({ test }) => test)
}

function similarityOf(a: Named, b: Named): number {
  const names = shareOfWords(wordsOf(`${a.suite} ${a.name}`), wordsOf(`${b.suite} ${b.name}`))
  if (a.name === b.name) return Math.max(names, leastSimilarity) + 1
  return a.file === b.file ? names : 0
}

/** The number of common words, compared with all words of both (Dice). */
function shareOfWords(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 0
  const left = new Map<string, number>()
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of b) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    common++
  }
  return (2 * common) / (a.length + b.length)
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
