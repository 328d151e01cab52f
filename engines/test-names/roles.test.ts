import { expect, test } from 'vitest'
import { detectLanguage } from '../languages/detect.ts'
import { isTestPath, testFiles, testRole } from './roles.ts'

const roleOf = (path: string) => testRole(path, detectLanguage(path, null)) ?? 'product'

test.each([
  // JavaScript and TypeScript
  ['src/a.test.ts', 'test'],
  ['src/a.spec.tsx', 'test'],
  ['src/app/a.component.spec.ts', 'test'],
  ['src/__tests__/a.js', 'test'],
  ['test/app.router.js', 'test'],
  ['test.js', 'test'],
  ['mod_test.ts', 'test'],
  ['cypress/e2e/login.cy.ts', 'test'],
  ['test/support/env.js', 'support'],
  ['test/fixtures/a.test.ts', 'support'],
  ['src/__mocks__/fs.ts', 'support'],
  ['tests/utils.ts', 'support'],
  ['packages/test/src/index.ts', 'product'],
  ['src/testing/render.ts', 'product'],
  ['src/latest.ts', 'product'],
  ['src/contest/spec-reader.ts', 'product'],
  ['src/test-utils.ts', 'support'],
  ['vitest.setup.ts', 'support'],
  // Python
  ['tests/test_app.py', 'test'],
  ['pkg/app_test.py', 'test'],
  ['shop/tests.py', 'test'],
  ['test.py', 'test'],
  ['numpy/test.py', 'product'],
  ['tests/conftest.py', 'support'],
  ['tests/helpers.py', 'support'],
  ['django/test/client.py', 'product'],
  ['click/testing.py', 'product'],
  // Go
  ['pkg/a_test.go', 'test'],
  ['pkg/testdata/a.go', 'support'],
  ['test/e2e/framework.go', 'support'],
  ['pkg/testing.go', 'product'],
  // JVM
  ['src/test/java/a/FooTest.java', 'test'],
  ['src/test/java/a/FooIT.java', 'test'],
  ['src/test/java/a/TestFoo.java', 'test'],
  ['src/test/java/a/Fixtures.java', 'support'],
  ['src/test/resources/a.json', 'support'],
  ['core/src/commonTest/kotlin/AdditionTest.kt', 'test'],
  ['src/main/java/org/junit/Test.java', 'product'],
  ['src/main/java/a/test/SpeedTest.java', 'product'],
  ['src/common/kotlin/CipherSuite.kt', 'product'],
  ['src/common/kotlin/ConnectionSpec.kt', 'product'],
  ['src/test/resources/sample/src/main/java/A.java', 'support'],
  // Ruby
  ['spec/models/user_spec.rb', 'test'],
  ['test/models/user_test.rb', 'test'],
  ['test/spec_request.rb', 'test'],
  ['spec/spec_helper.rb', 'support'],
  ['test/test_helper.rb', 'support'],
  ['lib/minitest/test_task.rb', 'product'],
  ['lib/rspec/spec/helper.rb', 'product'],
  ['test/dummy/app/models/user.rb', 'support'],
  // Rust
  ['tests/api.rs', 'test'],
  ['src/parser/tests.rs', 'test'],
  ['tests/common/mod.rs', 'support'],
  ['src/test_helpers/client.rs', 'support'],
  ['src/attestation.rs', 'product'],
  // PHP
  ['tests/Unit/UserTest.php', 'test'],
  ['tests/TestCase.php', 'support'],
  ['src/Concerns/CreatesMatchingTest.php', 'product'],
  // C#
  ['test/Serilog.Tests/Core/LoggerTests.cs', 'test'],
  ['test/Serilog.PerformanceTests/PipelineBenchmark.cs', 'support'],
  ['test/TestDummies/DummySink.cs', 'support'],
  ['src/App/SpeedTest.cs', 'product'],
  // Others
  ['features/login.feature', 'test'],
  ['test/run.bats', 'test'],
  ['test/app_test.exs', 'test'],
  ['Tests/AppTests/AppTests.swift', 'test'],
])('%s is %s', (path, role) => {
  expect(roleOf(path)).toBe(role)
})

test('tells tests from what serves them', () => {
  expect(isTestPath('test/app.js', 'JavaScript')).toBe(true)
  expect(isTestPath('test/support/env.js', 'JavaScript')).toBe(false)
})

test('takes any file of a test folder for a test only where none there is named as one', () => {
  const typescript = (paths: string[]) => testFiles(paths.map((path) => ({ path, language: 'TypeScript' })))
  expect(typescript(['test/find/find.test.ts', 'test/find/entity/Post.ts', 'src/a.ts'])).toEqual(
    new Map([
      ['test/find/find.test.ts', 'test'],
      ['test/find/entity/Post.ts', 'support'],
    ]),
  )
  expect(typescript(['test/find.ts', 'web/test/a.spec.ts'])).toEqual(
    new Map([
      ['test/find.ts', 'test'],
      ['web/test/a.spec.ts', 'test'],
    ]),
  )
})
