import { expect, test } from 'vitest'
import { collectsFile, commandForFile, describeTesting } from './describe-testing.ts'
import { partOf } from './testing/tree.ts'

const script = (line: string, more: object = {}, ...dependencies: string[]) => ({
  'package.json': {
    scripts: { test: line },
    devDependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])),
    ...more,
  },
})

test.for([
  [script('vitest', {}, 'vitest'), 'npx vitest run', 'src/a.test.ts', 'npx vitest run src/a.test.ts'],
  [script('jest --bail test', {}, 'jest'), 'npx jest --bail test', 'test/a.js', 'npx jest --bail test/a.js'],
  [script('mocha -r tsx', {}, 'mocha'), 'npx mocha -r tsx', 'test/a.ts', 'npx mocha -r tsx test/a.ts'],
  [script('node --test'), 'node --test', 'a b.test.js', "node --test 'a b.test.js'"],
  [{ 'requirements.txt': 'pytest', 'test_a.py': '' }, 'python -m pytest', 'test_b.py', 'python -m pytest test_b.py'],
  [
    {
      'tox.ini': '[testenv]\ncommands = pytest --cov=a --cov-report term-missing --cov-report xml -n 2 tests',
      'tests/test_a.py': '',
    },
    'python -m pytest -n 2 tests',
    'tests/test_b.py',
    'python -m pytest -n 2 --cov-fail-under=0 tests/test_b.py',
  ],
  [{ 'test_a.py': 'import unittest' }, 'python -m unittest', 'test_b.py', 'python -m unittest test_b.py'],
  [{ 'go.mod': '', 'a_test.go': '' }, 'go test ./...', 'sum/b_test.go', 'go test ./sum'],
  [{ 'go.mod': '', 'a_test.go': '' }, 'go test ./...', 'b_test.go', 'go test .'],
  [{ 'Cargo.toml': '', 'src/lib.rs': '' }, 'cargo test', 'tests/sums.rs', 'cargo test --test sums'],
  [{ 'Cargo.toml': '', 'src/lib.rs': '' }, 'cargo test', 'src/lib.rs', undefined],
  [{ '.rspec': '', 'spec/a_spec.rb': '' }, 'rspec', 'spec/b_spec.rb', 'rspec spec/b_spec.rb'],
  [
    { Gemfile: "gem 'test-unit'", 'test/test_a.rb': '' },
    'bundle exec ruby -Ilib -Itest test/test_a.rb',
    'test/test_b.rb',
    'bundle exec ruby -Ilib -Itest test/test_b.rb',
  ],
  [{ 'phpunit.xml': '', 'tests/ATest.php': '' }, 'phpunit', 'tests/BTest.php', 'phpunit tests/BTest.php'],
  [
    { gradlew: '', 'build.gradle': '', 'src/test/java/ATest.java': '' },
    './gradlew test',
    'src/test/java/x/BTest.java',
    "./gradlew test --tests '*.BTest'",
  ],
] as const)('says how to run everything and one file: %j', async ([files, all, path, one]) => {
  const testing = describeTesting(await partOf(files))
  expect(testing.command).toBe(all)
  expect(commandForFile(testing, path)).toBe(one)
})

test.for([
  [script('vitest', {}, 'vitest'), ['src/a.test.ts', 'b.spec.jsx'], ['src/a.ts', 'tests/a.ts']],
  [
    {
      ...script('vitest', {}, 'vitest'),
      'vitest.config.ts': "export default { test: { include: ['test/**/*.ts'], coverage: { include: ['src'] } } }",
    },
    ['test/a.ts'],
    ['src/a.test.ts'],
  ],
  [script('jest', {}, 'jest'), ['src/__tests__/a.js', 'a.test.ts'], ['test/a.js']],
  [script('jest', { jest: { testMatch: ['<rootDir>/test/*.js'] } }, 'jest'), ['test/a.js'], ['a.test.js']],
  [script('mocha', {}, 'mocha'), ['test/a.js'], ['test/sub/a.js', 'a.test.js']],
  [
    { ...script('mocha', {}, 'mocha'), '.mocharc.yml': 'spec: spec/**/*.spec.ts\n' },
    ['spec/x/a.spec.ts'],
    ['test/a.js'],
  ],
  [script('tape test/*.js', {}, 'tape'), ['test/a.js'], ['a.test.js', 'test/x/a.js']],
  [script('node --test'), ['a.test.js', 'test/a.mjs'], ['tests/a.js']],
  [script('ava', {}, 'ava'), ['test.js', 'test/a.js', 'a.spec.js'], ['test/_a.js', 'test/fixtures/a.js', 'src/a.js']],
  [
    { 'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["test.py"]\n', 'test.py': '' },
    ['test.py'],
    ['tests/test_a.py', 'test_a.py'],
  ],
  [
    { 'setup.cfg': '[tool:pytest]\ntestpaths = tests\npython_files = check_*.py\n', 'tests/check_a.py': '' },
    ['tests/x/check_b.py'],
    ['tests/test_b.py', 'check_b.py'],
  ],
  [{ 'pytest.ini': '[pytest]\n', 'test_a.py': '' }, ['test_a.py', 'x/a_test.py'], ['test.py', 'tests.py']],
  [{ 'go.mod': '', 'a_test.go': '' }, ['x/b_test.go'], ['x/b.go']],
] as const)('knows which files a command collects: %j', async ([files, collected, others]) => {
  const testing = describeTesting(await partOf(files))
  expect(collected.filter((path) => collectsFile(testing, path) !== true)).toEqual([])
  expect(others.filter((path) => collectsFile(testing, path) !== false)).toEqual([])
})

test.for([
  { ...script('vitest', {}, 'vitest'), 'vitest.config.ts': 'export default { test: { include: patterns } }' },
  { ...script('vitest', {}, 'vitest'), 'vitest.config.ts': 'export default { test: { projects: [] } }' },
  script('jest', { jest: { testRegex: 'x' } }, 'jest'),
  { ...script('mocha', {}, 'mocha'), '.mocharc.cjs': '' },
])('does not claim to know what a command collects where the settings are code: %j', async (files) => {
  expect(collectsFile(describeTesting(await partOf(files)), 'test/a.test.js')).toBeNull()
})

test('does not say what is collected where the patterns are longer than people write them', async () => {
  const part = await partOf({ 'pytest.ini': `[pytest]\ntestpaths = ${'t'.repeat(1_000)}\n`, 'test_a.py': '' })
  expect(describeTesting(part).testFiles).toBeUndefined()
})
