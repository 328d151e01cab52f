import { append, remove, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

/** Changes without code. */
export const withoutCode: readonly KnownChange[] = [
  {
    name: 'only a test',
    edits: [
      append(
        'test/hours.test.js',
        `
test('reads the last minute of a day', () => {
  assert.equal(minutesOf('23:59'), 1439)
})
`,
      ),
    ],
    verdict: 'no_code_changed',
  },
  {
    name: 'only a test, which fails',
    edits: [
      append(
        'test/hours.test.js',
        `
test('refuses an hour that no day has', () => {
  assert.throws(() => minutesOf('25:00'), /25:00 is no time/)
})
`,
      ),
    ],
    verdict: ['broken', 'unproved'],
    says: ['refuses an hour that no day has'],
    isAside: true,
  },
  {
    name: 'only documentation',
    edits: [append('README.md', '\nThe shop closes at the minute of its closing time.\n')],
    verdict: 'no_code_changed',
  },
  {
    name: 'only configuration',
    edits: [
      write('.editorconfig', 'root = true\n'),
      replace('package.json', '"private": true,', '"private": true,\n  "license": "MIT",'),
    ],
    verdict: 'no_code_changed',
    isAside: true,
  },
  {
    name: 'only a comment',
    edits: [
      replace(
        'src/price.js',
        '/** Takes a discount in percent off. */',
        '/** Takes a discount off. Rounds to cents. */',
      ),
    ],
    verdict: ['no_code_changed', 'unproved'],
  },
  {
    name: 'deleted test alone',
    edits: [remove('test/rates.test.js')],
    verdict: ['no_code_changed', 'unproved'],
    transitions: { 'knows the rates of books and of unknown articles': 'gone' },
    isAside: true,
  },
]
