import { test } from 'vitest'
import { expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { conventionFor, languagesWithTests } from './conventions.ts'
import { freePath, renamedCode } from './free-path.ts'
import { addressOfPage } from './pages.ts'
import { testRole } from './roles.ts'
import { readTestName, subjectKeys } from './test-name.ts'

const extensions = languagesWithTests.flatMap((language) => conventionFor('', language).extensions)
const readers: Reader[] = [
  {
    name: 'a path',
    read: (text) => {
      const stem = text.replaceAll('\n', '')
      for (const extension of ['ts', 'py', 'tsx', 'java', 'zz', ...extensions]) {
        const path = `${stem}.${extension}`
        testRole(path)
        readTestName(path)
        subjectKeys(path)
        addressOfPage(path)
        freePath(path, () => false)
      }
    },
    benign: (size) => `${'folder/'.repeat(size / 7)}file.test`,
    tokens: [
      '/',
      'a',
      'A',
      '.',
      '-',
      '_',
      'test',
      'Test',
      'spec',
      '.test',
      'IT',
      'pages/',
      'api/',
      'app/',
      'page',
      'src/',
      '__tests__/',
      'tests/',
      '(a)/',
      'e2e',
      '1',
    ],
    maxSize: 100_000,
  },
  {
    name: 'code that gets another name',
    read: (text) => renamedCode(text, 'src/add.test.ts', 'src/add-2.test.ts'),
    benign: (size) => 'import { add } from "./add.ts"\n'.repeat(size / 31),
    tokens: ['add', 'class ', 'Add', '.', '\n', '"', ' '],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
