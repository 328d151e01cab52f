import { append, replace } from './edits.ts'
import type { KnownChange } from './known-change.ts'
import { timeOf } from './node-test-edits.ts'

const parseTime = `/** Splits a list of hours such as \`08:30-12:00, 13:00-18:00\`. */
export function parseHours(text) {
  if (text.trim() === '') return []
  return text.split(',').map((part) => {
    const [opens, closes] = part.trim().split('-')
    if (minutesOf(closes) <= minutesOf(opens)) throw new Error(\`\${part.trim()} ends before it starts\`)
    return { opens, closes }
  })
}
`
const importParse = replace(
  'test/hours.test.js',
  'import { isOpen, minutesOf, weeklyHours }',
  'import { isOpen, minutesOf, parseHours, weeklyHours }',
)
const writeTime = append('src/hours.js', `\n${timeOf}`)

/** New functions, tested well or not. */
export const newCode: readonly KnownChange[] = [
  {
    name: 'new function with good tests',
    edits: [
      append('src/hours.js', `\n${parseTime}`),
      importParse,
      append(
        'test/hours.test.js',
        `
test('splits a list of hours', () => {
  assert.deepEqual(parseHours('08:30-12:00, 13:00-18:00'), [
    { opens: '08:30', closes: '12:00' },
    { opens: '13:00', closes: '18:00' },
  ])
})

test('knows a day without hours', () => {
  assert.deepEqual(parseHours('  '), [])
})

test('refuses hours that end before they start, or at once', () => {
  assert.throws(() => parseHours('12:00-08:30'), { message: '12:00-08:30 ends before it starts' })
  assert.throws(() => parseHours('08:30-09:00, 12:00-12:00'), { message: '12:00-12:00 ends before it starts' })
})
`,
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'new function of which tests reach a half',
    edits: [
      append('src/hours.js', `\n${parseTime}`),
      writeTime,
      importParse,
      append(
        'test/hours.test.js',
        `
test('splits a list of hours', () => {
  assert.deepEqual(parseHours('08:30-12:00'), [{ opens: '08:30', closes: '12:00' }])
  assert.deepEqual(parseHours(''), [])
  assert.throws(() => parseHours('12:00-08:30'), /ends before/)
})
`,
      ),
    ],
    verdict: 'unproved',
    says: ['src/hours.js'],
    isAside: true,
  },
  {
    name: 'new function whose test only calls it',
    edits: [
      append('src/hours.js', `\n${parseTime}`),
      importParse,
      append(
        'test/hours.test.js',
        `
test('splits a list of hours', () => {
  assert.ok(parseHours('08:30-12:00, 13:00-18:00'))
  assert.ok(parseHours(''))
  assert.throws(() => parseHours('12:00-08:30'))
})
`,
      ),
    ],
    verdict: 'unproved',
  },
]
