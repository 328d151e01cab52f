import { expect, test } from 'vitest'
import { classFiles } from './class-files.ts'
import type { TestCase } from './report.ts'

const paths = [
  'src/test/java/com/acme/SumTest.java',
  'src/test/kotlin/com/acme/DifferenceTest.kt',
  'a/src/test/java/com/acme/TwiceTest.java',
  'b/src/test/java/com/acme/TwiceTest.java',
  'src/test/java/org/acme/OtherTest.java',
  'test/sum.test.js',
]
const named = (suite: string, file: string | null = null): TestCase => {
  const rest = { line: null, durationMs: null, message: null, stack: null, attempts: [] }
  return { suite, name: 'adds', file, status: 'passed', ...rest }
}

test.for([
  ['com.acme.SumTest', 'src/test/java/com/acme/SumTest.java'],
  ['com.acme.SumTest$Nested', 'src/test/java/com/acme/SumTest.java'],
  ['com.acme.DifferenceTest > nested', 'src/test/kotlin/com/acme/DifferenceTest.kt'],
  ['com.acme.TwiceTest', null],
  ['com.acme.OtherTest', null],
  ['com.acme.sum', null],
  ['', null],
] as const)('finds the file of %j', ([suite, file]) => {
  expect(classFiles(paths)(named(suite)).file).toBe(file)
})

test('does not change files that the report names', () => {
  const said = named('com.acme.SumTest', 'elsewhere/SumTest.java')
  expect(classFiles(paths)(said)).toBe(said)
})
