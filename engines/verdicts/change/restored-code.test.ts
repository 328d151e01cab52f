import { expect, test } from 'vitest'
import { judgeChange } from './judge-change.ts'
import type { ChangedFile, ChangeFacts } from './facts.ts'
import { code, codeFile, refactoring } from './testing.ts'

interface Story {
  before: string
  after: string
  original: string
  replacement: string
  files?: ChangedFile[]
}

/** A refactoring of line 4, of whose mutants one of five survives. */
function facts({ before, after, original, replacement, files }: Story): ChangeFacts {
  const mutant = { path: codeFile, line: 4, operator: 'boundary' as const, original, replacement }
  const padded = (line: string) => `one\ntwo\nthree\n${line}\nfive\n`
  return refactoring({
    files: files ?? [code({ lines: [[4, 4]], removed: [[4, 4]] })],
    sources: new Map([[codeFile, padded(after)]]),
    sourcesBefore: new Map([codeFile, 'src/old.ts'].map((path) => [path, padded(before)])),
    mutation: {
      found: 5,
      seed: '1f',
      judged: [
        { outcome: 'survived', mutant },
        ...Array.from({ length: 4 }, () => ({ outcome: 'killed' as const, mutant })),
      ],
    },
  })
}

const boundary = { original: 'amount <= limit', replacement: 'amount < limit' }
const moved = [
  code({ before: null, change: 'added', lines: [[1, 5]] }),
  code({ path: 'src/old.ts', before: 'src/old.ts', lines: [], removed: [[4, 4]] }),
]

const restoring: [story: string, Story][] = [
  [
    'a comparison in another statement',
    { before: 'return all.filter((amount) => amount < limit)', after: 'if (amount <= limit) add()', ...boundary },
  ],
  [
    'a comparison with other blanks',
    { before: 'return amount<limit', after: 'if (amount <= limit) add()', ...boundary },
  ],
  [
    'a name as an operator',
    { before: 'return a or b', after: '  if a and b: add()', original: 'a and b', replacement: 'a or b' },
  ],
  ['a value of a line', { before: '  return  0', after: 'return 1', original: '1', replacement: '0' }],
  ['code that moved to a new file', { before: 'return amount < limit', after: 'x', ...boundary, files: moved }],
]

test.for(restoring)('does not prove a refactoring if a survivor restores %s', ([, story]) => {
  const { verdict, evidence } = judgeChange(facts(story))
  expect([verdict, evidence.reason]).toEqual(['unproved', 'old_code_passes_too'])
  expect(evidence.summary).toContain(`replaces \`${story.replacement}\` with \`${story.original}\` in ${codeFile}:4`)
})

const equivalent: [story: string, Story][] = [
  [
    'the old code has no such comparison',
    {
      before: 'return Math.min(limit, delay)',
      after: 'return delay > limit ? limit : delay',
      original: 'delay > limit',
      replacement: 'delay >= limit',
    },
  ],
  [
    'the old code has both',
    { before: 'return amount < limit || amount <= limit', after: 'if (amount <= limit) add()', ...boundary },
  ],
  [
    'the old code has longer names',
    { before: 'return myamount < limits', after: 'if (amount <= limit) add()', ...boundary },
  ],
  [
    'a value is anywhere in the old code',
    { before: 'f(true, 0)', after: 'if (isOpen) add()', original: 'isOpen', replacement: 'true' },
  ],
  ['only a comment has it', { before: '// amount < limit', after: 'if (amount <= limit) add()', ...boundary }],
]

test.for(equivalent)('does not say that a survivor restores old code if %s', ([, story]) => {
  expect(judgeChange(facts(story)).evidence.reason).toBe('survivors')
})

test('asks about old code only if behavior is meant to stay the same', () => {
  const [[, story] = ['', {} as Story]] = restoring
  expect(judgeChange({ ...facts(story), intent: 'change' }).evidence.reason).not.toBe('old_code_passes_too')
  expect(judgeChange({ ...facts(story), sourcesBefore: new Map() }).evidence.reason).toBe('survivors')
})
