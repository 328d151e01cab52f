import { expect, test } from 'vitest'
import { failed } from './change/testing.ts'
import { withPrintedReasons } from './printed-reasons.ts'

const root = '/work/repository'
const around = { root, directory: '', testPath: null, files: new Set(['src/price.js', 'test/price.test.js']) }

const unexplained = (name: string) =>
  failed(name, {
    suite: '',
    file: name,
    message: "[Error: test failed] { code: 'ERR_TEST_FAILURE', failureType: 'testCodeFailure', exitCode: 1 }",
    place: null,
  })

const printed = `✔ opens (1.2ms)
Error: printed by the file itself, which goes on
file://${root}/src/price.js:3
}
^

SyntaxError: Unexpected token '}'
    at compileSourceTextModule (node:internal/modules/esm/utils:319:16)

Node.js v24.21.0
✖ test/price.test.js (86.9ms)
node:internal/modules/package_json_reader:314
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'money' imported from ${root}/src/tax.js
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:314:9) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.21.0
✖ test/tax.test.js (92.1ms)
✖ test/quiet.test.js (12.1ms)
ℹ tests 4
`

test('takes from the output why files could not be loaded', () => {
  const cases = ['test/price.test.js', 'test/tax.test.js', 'test/quiet.test.js'].map(unexplained)
  const [syntax, missing, quiet] = withPrintedReasons(cases, printed, around)
  expect(syntax).toMatchObject({
    message: "SyntaxError: Unexpected token '}'",
    place: { file: 'src/price.js', line: 3 },
  })
  expect(missing?.message).toMatch(/^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'money'/)
  expect(quiet).toEqual(cases[2])
})

test('takes from the output why a package of Go does not compile', () => {
  const compiler = `# example.com/stack [example.com/stack.test]
./stack.go:28:2: not enough return values
\thave ()
\twant (int, error)
# example.com/other
other/other.go:3:1: syntax error: unexpected }
FAIL\texample.com/stack [build failed]
`
  const unbuilt = (name: string) =>
    failed('package', {
      suite: name,
      file: null,
      message: `The package does not compile: FAIL\t${name} [build failed]\nThe log says why.`,
      place: null,
    })
  const names = ['example.com/stack', 'example.com/other', 'example.com/unknown']
  const of = { ...around, files: new Set(['stack.go', 'other/other.go']) }
  const [stack, other, unknown] = withPrintedReasons(names.map(unbuilt), compiler, of)
  expect(stack).toMatchObject({
    message: 'stack.go:28:2: not enough return values\n\thave ()\n\twant (int, error)',
    place: { file: 'stack.go', line: 28 },
  })
  expect(other).toMatchObject({
    message: 'other/other.go:3:1: syntax error: unexpected }',
    place: { file: 'other/other.go', line: 3 },
  })
  expect(unknown).toEqual(unbuilt('example.com/unknown'))
})

test('leaves failures alone that have a message', () => {
  const cases = [failed('adds'), failed('test/price.test.js', { suite: '', file: 'test/price.test.js' })]
  expect(withPrintedReasons(cases, printed, around)).toBe(cases)
})
