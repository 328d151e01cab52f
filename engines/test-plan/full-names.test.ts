import { expect, test } from 'vitest'
import { notWholly, patternOf, titlesOf, wholly, wordsOf } from './full-names.ts'

test.for([
  ['math > sums', 'adds', ['math sums adds', 'math > sums > adds', ' > math  >  > sums > adds\n']],
  ['', 'a\tb  c ', ['a b c', ' a\tb  c ']],
  ['', '> 5', ['5', '> 5']],
  ['ops', '>', ['ops >', 'ops > >']],
  ['', 'x>y >= z', ['x>y >= z']],
] as const)('matches the full names that a runner makes of "%s" and "%s"', ([suite, name, fullNames]) => {
  const pattern = patternOf(wordsOf(titlesOf({ suite, name, file: null }).join(' ')))
  for (const fullName of fullNames) {
    expect(fullName).toMatch(new RegExp(wholly([pattern])))
    expect(fullName).not.toMatch(new RegExp(notWholly([pattern])))
    for (const other of [`${fullName}x`, `x${fullName}`, `${fullName} x`, `x ${fullName}`]) {
      expect(other).toMatch(new RegExp(notWholly(['nothing', pattern])))
    }
  }
})

test('a pattern matches exactly the texts with the same words', () => {
  const parts = ['a', 'b', '>', ' ', '\n', '.', '(', '>a']
  const texts = parts.flatMap((one) =>
    parts.flatMap((two) => parts.flatMap((three) => parts.map((four) => one + two + three + four))),
  )
  // Each of these is compared with all others.
  for (const text of texts.filter((_, at) => at % 29 === 0)) {
    const words = wordsOf(text)
    if (words.length === 0) continue
    const pattern = new RegExp(wholly([patternOf(words)]))
    const matched = texts.filter((other) => pattern.test(other))
    expect(matched).toEqual(texts.filter((other) => wordsOf(other).join(' ') === words.join(' ')))
  }
})
