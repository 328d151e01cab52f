import { test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { findImported, withImportedCode } from './change/disguised-code.ts'
import { callsInProject, placeOfFailure } from './failure-place.ts'
import {
  isPlainError,
  saysAssertion,
  saysMatcher,
  saysMisuse,
  saysNotBuilt,
  saysThrown,
  saysTimeout,
} from './failure-words.ts'
import { goTestNames } from './go-tests.ts'
import { explainHang } from './hang.ts'
import { styleOf } from './style/style-of.ts'
import { uncalledLines } from './uncalled-lines-task.ts'

const around = { testPath: 'src/a.test.ts', root: '/app', directory: '', files: new Set(['src/a.ts', 'src/a.test.ts']) }
const frameworks = [
  'pytest',
  'tape',
  'tap',
  'ava',
  'rspec',
  'minitest',
  'test-unit',
  'phpunit',
  'cargo test',
  'maven',
  'dotnet test',
]
const words = [
  'Error',
  ': ',
  'expected ',
  ' to be ',
  'assertion ',
  '`',
  ' failed',
  'Assertion',
  'cause: ',
  '\n',
  ' ',
  '\t',
  'Failure/Error: ',
  'expect',
  'promise rejected ',
  'instead of',
  'Snapshot `',
  "fixture '",
  "' not found",
  'Expected',
  'but ',
  'timed out after 1',
  'ms',
  'pytest.fail(',
  'Uncaught ',
  'A.',
  '.',
]
const frames = [
  'at ',
  'a (',
  'src/a.ts',
  ':1',
  ':2',
  ')',
  '\n',
  '    ',
  'File "',
  '", line 1',
  '.py',
  '#0 ',
  '/app/',
  'a/',
]

const readers: Reader[] = [
  {
    name: 'a message',
    read: (text) => {
      for (const says of [saysTimeout, saysNotBuilt, saysMatcher, saysMisuse]) says(text)
      saysThrown(text, text)
      isPlainError(text, text)
      for (const framework of frameworks) saysAssertion(framework, text, text)
    },
    benign: (size) => 'AssertionError: expected 1 to be 2\n    at run (src/a.ts:1:2)\n'.repeat(size / 62),
    tokens: words,
  },
  {
    name: 'the place of a failure',
    read: (text) => [placeOfFailure(text, around), callsInProject(text, around)],
    benign: (size) => '    at run (/app/src/a.ts:1:2)\n'.repeat(size / 31),
    tokens: frames,
  },
  {
    name: 'a hang',
    read: (text) =>
      explainHang({ stacks: text, runningTests: text }, { path: 'src/a.test.ts', content: text } as never, around),
    benign: (size) => '    at run (/app/src/a.ts:1:2)\n'.repeat(size / 31),
    tokens: [...frames, 'test(', 'it', '.only', "'", '"', '\\', '{"', '}', ':'],
  },
  {
    name: 'findImported',
    read: async (code) => {
      const path = 'src/rules.spec.js'
      const readMany = async function* () {
        yield await Promise.resolve({ path: 'src/a.js', code: `${code}\nrules.spec` })
        yield await Promise.resolve({ path: 'src/b.spec.js', code: `${code}\nimport './rules.spec.js'` })
      }
      const file = { path, before: path, kind: 'test', change: 'changed', lines: [] } as const
      const importers = await findImported([file], ['src/a.js', 'src/b.spec.js'], readMany)
      return withImportedCode([file], new Map([...importers, [path, 'src/a.js']]), new Map([[path, code]]))
    },
    benign: (size) => "import { a } from './rules.spec.js'\nexport const b = a()\n".repeat(size / 56),
    tokens: [
      'import ',
      'import type ',
      'export type ',
      '{ a }',
      ' from ',
      "'./a'",
      "'",
      '"',
      ';',
      '\n',
      ' ',
      '\t',
      'test',
      '.each',
      '(',
      'class A(',
      'TestCase)',
      'def test',
    ],
  },
  {
    name: 'tests of Go',
    read: goTestNames,
    benign: (size) => 'func TestAdd(t *testing.T) {}\n'.repeat(size / 30),
    tokens: ['func ', 'Test', 'A', ' ', '\n', '(', 't'],
  },
  {
    // JavaScript is read in a process of its own, because some nesting takes its parser down.
    name: 'the style of a test',
    read: (text) => styleOf('tests/test_a.py', text),
    benign: (size) => 'def test_adds():\n    assert 1 + 2 == 3\n'.repeat(size / 40),
    tokens: [
      'def test_a',
      '():\n',
      '    ',
      'assert ',
      'with pytest.raises(',
      '@patch(',
      'self.assertEqual(',
      ')',
      ',',
      'a',
      '.',
      '[',
      '==',
      '\n',
      '"""',
    ],
    maxSize: 100_000,
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)

const ofOneLine = 'const f = ({ a = 1 } = {}, b = (c) => c) => [a].map((d) => d)\n'
// Hostile JavaScript is read in a process of its own, like the style of a test.
test.each(['', '1-9999'])('uncalled lines take linear time, with %j uncalled', (uncalled) =>
  expectLinear(
    (size) => ofOneLine.repeat(size / ofOneLine.length),
    400_000,
    (source) => uncalledLines({ path: 'a.js', source, covered: '1-9999', uncalled }),
  ),
)
