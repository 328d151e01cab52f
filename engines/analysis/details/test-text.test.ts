import { expect, test } from 'vitest'
import { createGitRepository } from '../../source/testing/git-repository.ts'
import { openWorkingTree } from '../../source/working-tree.ts'
import { defaultLimits } from '../types.ts'
import { readTests } from './read-tests.ts'
import { TestText } from './test-text.ts'

const signal = new AbortController().signal

/** A text with so many words that ten of them exceed what is kept. */
const longText = (number: number) =>
  Array.from({ length: 80_000 }, (_, index) => `${'abcdefghij'[number]}${index.toString(36)}`).join(' ')
const numbers = Array.from({ length: 10 }, (_, number) => number)

test('forgets the words that were not asked for the longest, and finds them again', () => {
  const texts = numbers.map((number) => new TestText(longText(number)))
  const [first, ...others] = texts.map(({ words }) => words)
  expect(texts.at(-1)?.words).toBe(others.at(-1))
  expect(texts[0]?.words).not.toBe(first)
  expect(texts[0]?.words).toEqual(first)
})

test('one analysis looks for the words of each test once, however many there are', async () => {
  const paths = numbers.map((number) => `src/${number}.test.ts`)
  await using repository = await createGitRepository(
    Object.fromEntries(paths.map((path, number) => [path, longText(number)])),
  )
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const tests = await readTests({ snapshot, files: [], manifests: new Map(), signal }, paths)
  const found = paths.map((path) => tests.words(path))
  for (const [index, path] of paths.entries()) expect(tests.words(path)).toBe(found[index])
})
