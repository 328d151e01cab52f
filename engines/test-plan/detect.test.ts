import { expect, test } from 'vitest'
import { describePlan } from './describe.ts'
import { detectPlan } from './detect.ts'
import { PlanError } from './plan.ts'
import { noSettings, partOf, partsOf, tree } from './testing/tree.ts'
import { select } from './select.ts'

const jest = { scripts: { test: 'jest' }, devDependencies: { jest: '29' } }
const python = { 'requirements.txt': 'pytest', 'test_a.py': 'def test_a(): pass' }

test('says what was run and why', async () => {
  const plan = await detectPlan(tree({ 'package.json': jest, 'package-lock.json': '{}' }), noSettings, 'ALL')
  const [install, run] = describePlan(plan)
  expect(install).toBe('I ran `npm ci` because package-lock.json pins what npm installs.')
  expect(run).toMatch(/^I ran `npx jest --ci .*` because the script "test" of package\.json runs jest\.$/)
  expect(describePlan(plan, 'planned')[0]).toMatch(/^I run /)
})

test('makes a part of each ecosystem at the root', async () => {
  const parts = await partsOf({ 'package.json': jest, ...python })
  expect(parts.map(({ ecosystem }) => ecosystem)).toEqual(['javascript', 'python'])
})

test('looks into folders where the root has no program, but not into examples', async () => {
  const parts = await partsOf({
    'README.md': '',
    'examples/demo/package.json': jest,
    'backend/go.mod': '',
    'backend/a_test.go': '',
    'backend/tools/go.mod': '',
    'backend/tools/b_test.go': '',
    'web/app/package.json': jest,
    'a/b/c/d/package.json': jest,
  })
  expect(parts.map(({ directory }) => directory)).toEqual(['backend', 'web/app'])
})

test('keeps to a few folders', async () => {
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`p${index}/package.json`, jest]))
  expect(await partsOf(files)).toHaveLength(5)
})

test.for([
  [{}, 'nothing_detected', 'testCommand'],
  [{ 'README.md': '' }, 'nothing_detected', 'workingDirectory'],
  [{ 'package.json': { scripts: { test: 'echo "Error: no test specified" && exit 1' } } }, 'no_tests', 'testCommand'],
  [{ 'go.mod': '' }, 'no_tests', 'testCommand'],
  [{ 'package.json': '{"scripts": ' }, 'nothing_detected', 'package.json is not valid JSON'],
  [{ 'pyproject.toml': '[[[', 'test_a.py': '' }, 'nothing_detected', 'pyproject.toml is not valid TOML'],
  [{ 'package.json': '['.repeat(100_000) }, 'nothing_detected', 'package.json'],
] as const)('says which setting to fill in: %j', async ([files, code, text]) => {
  const failure = await partsOf(files).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(PlanError)
  expect(failure).toMatchObject({ code, message: expect.stringContaining(text) })
})

const strange: Record<string, string>[] = [
  { 'package.json': '[]' },
  { 'package.json': '{"scripts": [], "devDependencies": "jest", "workspaces": {"packages": 7}}' },
  { 'package.json': '{"__proto__": {"scripts": {"test": "jest"}}, "scripts": {"__proto__": "jest", "test": 5}}' },
  {
    'package.json': 'null',
    'pyproject.toml': 'project = 7\ntool = []\ndependency-groups = "x"',
    'composer.json': '{"require": []}',
  },
  { 'Cargo.toml': 'workspace = "x"' },
  { 'pom.xml': '<!DOCTYPE a [<!ENTITY b "c">]><project>&b;', 'src/test/java/A.java': '' },
]

test.for(strange)('survives manifests that are none: %j', async (files) => {
  const outcome = await partsOf(files).catch((error: unknown) => error)
  expect(Array.isArray(outcome) || outcome instanceof PlanError).toBe(true)
  expect(Object.prototype).not.toHaveProperty('scripts')
})

test("runs the owner's command in a shell, and looks for reports in the usual and the given places", async () => {
  const part = await partOf(
    { 'package.json': jest, 'package-lock.json': '{}' },
    { testCommand: 'make test | tee log', reportGlobs: ['out/*.xml'] },
  )
  expect(part).toMatchObject({
    framework: null,
    test: { command: 'make test | tee log' },
    install: { command: 'npm ci' },
  })
  expect(part.reports).toEqual(expect.arrayContaining(['out/*.xml', '**/junit*.xml']))
})

test.for([
  ['npx vitest run src', 'vitest', { 'package.json': '{}' }],
  ['pytest -x -m "not slow" tests', 'pytest', python],
  ['uv run pytest', 'pytest', python],
  ['python3 -m unittest discover -v', 'unittest', python],
  ['go test -race ./...', 'go test', { 'go.mod': '' }],
  ['cargo test --all-features', 'cargo test', { 'Cargo.toml': '' }],
  ['./mvnw verify', 'maven', { 'pom.xml': '<project/>' }],
  ['bundle exec rspec', 'rspec', { Gemfile: '' }],
  ['vendor/bin/phpunit --testdox', 'phpunit', { 'composer.json': '{}' }],
  ['dotnet test App.sln', 'dotnet test', { 'App.sln': '' }],
] as const)("adds reports to the owner's `%s`", async ([testCommand, framework, files]) => {
  const part = await partOf(files, { testCommand })
  expect(part.framework).toBe(framework)
  expect(part.test.because).toContain('testCommand')
})

test('keeps the options of the settings, also those that stop early', async () => {
  const part = await partOf(python, { testCommand: 'pytest -x -m "not slow" tests' })
  expect(part.test.argv).toEqual(expect.arrayContaining(['-x', '-m', 'not slow', 'tests']))
})

test('says which of the owner’s options are not passed on, and drops no others', async () => {
  const measured = { 'requirements.txt': 'pytest\npytest-cov', 'test_a.py': 'def test_a(): pass' }
  const threshold = await partOf(measured, { testCommand: 'pytest --cov --cov-fail-under=90 --pdb' })
  expect(threshold.test.argv).toContain('--cov-fail-under=90')
  expect(threshold.test.argv).not.toContain('--cov-fail-under=0')
  expect(threshold.notes.join()).toContain('Options that Assay does not pass on: `--pdb`.')
  const spaced = await partOf(measured, { testCommand: 'pytest --cov-fail-under 90 tests' })
  expect(spaced.test.argv.join(' ')).toMatch(/--cov-fail-under=90 .* tests$/)
  const selection = { paths: ['tests/test_a.py'], tests: [] }
  expect(select(spaced, selection)).toMatchObject({ step: { argv: expect.arrayContaining(['--cov-fail-under=0']) } })
  const tox = await partOf({ ...measured, 'tox.ini': '[testenv]\ncommands = pytest --cov-fail-under=100 tests\n' })
  expect(tox.test.argv.join(' ')).toMatch(/--cov-fail-under=100 .*--cov-fail-under=0 tests$/)
  const go = await partOf({ 'go.mod': '', 'a_test.go': '' }, { testCommand: 'go test -v -failfast ./...' })
  expect(go.test.argv).toEqual(expect.arrayContaining(['-failfast', '-v']))
  const mocha = { 'package.json': { devDependencies: { mocha: '10' } } }
  const bailing = await partOf(mocha, { testCommand: 'npx mocha --bail -R dot' })
  expect(bailing.test.argv).toContain('--bail')
  expect(bailing.notes.join()).toContain('Options that Assay does not pass on: `-R`.')
  for (const testCommand of ['pytest -x', 'python -m pytest', 'coverage run -m pytest', 'uv run pytest -q']) {
    expect((await partOf(python, { testCommand })).notes.join()).not.toContain('does not pass on')
  }
})

test.for([
  ['npm test', []],
  ['npm t', []],
  ['CI=1 npm run test', []],
  ['npm run -s unit', []],
  ['npm test -- --bail 1 src/a.test.ts', ['--bail', '1', 'src/a.test.ts']],
  ['yarn test', []],
  ['yarn unit --bail', ['--bail']],
  ['pnpm test src', ['src']],
  ['pnpm run unit', []],
  ['bun run test', []],
] as const)('looks through %s as without the setting', async ([testCommand, kept]) => {
  const scripts = { pretest: 'node build.js', test: 'vitest run', unit: 'vitest run' }
  const files = { 'package.json': { scripts, devDependencies: { vitest: '3' } }, 'package-lock.json': '{}' }
  const part = await partOf(files, { testCommand })
  expect(part).toMatchObject({
    framework: 'vitest',
    reports: ['{output}/vitest.json'],
    install: { command: 'npm ci' },
  })
  expect(part.prepare.map(({ command }) => command)).toEqual(/unit/.test(testCommand) ? [] : ['node build.js'])
  expect(part.test.argv).toEqual(expect.arrayContaining([...kept]))
})

test('does not change a command whose script is unknown or not in package.json', async () => {
  const files = { 'package.json': { scripts: { test: './run.sh' } } }
  for (const testCommand of ['npm test', 'npm test --workspaces', 'npm run missing', 'bun test', 'make test']) {
    const part = await partOf(files, { testCommand })
    expect(part).toMatchObject({ framework: null, test: { command: testCommand } })
  }
  expect(await partOf({ 'package.json': '{' }, { testCommand: 'npm test' })).toMatchObject({ framework: null })
})

test('looks through npm test of a workspace to its packages', async () => {
  const parts = await partsOf(
    {
      'package.json': { scripts: { test: 'npm test --workspaces' }, workspaces: ['packages/*'] },
      'packages/a/package.json': jest,
      'packages/b/package.json': jest,
    },
    { testCommand: 'npm test' },
  )
  expect(parts.map(({ directory, framework }) => [directory, framework])).toEqual([
    ['packages/a', 'jest'],
    ['packages/b', 'jest'],
  ])
})

test('finds reports that the command of the settings writes to {output}', async () => {
  const own = await partOf({ 'a.txt': '' }, { testCommand: './run.sh --junit {output}/junit.xml' })
  expect(own.reports).toEqual(expect.arrayContaining(['**/junit*.xml', '{output}/**/junit*.xml']))
  expect(own.coverage).toContain('{output}/**/lcov.info')
  const plain = await partOf({ 'a.txt': '' }, { testCommand: './run.sh' })
  expect(plain.reports.join()).not.toContain('{output}')
})

test('lets the owner install in another way, or not at all', async () => {
  const files = { 'package.json': jest }
  expect((await partOf(files, { installCommand: 'make deps' })).install).toMatchObject({
    command: 'make deps',
    argv: ['sh', '-c', 'make deps'],
  })
  for (const installCommand of ['', ' true ', ':']) expect((await partOf(files, { installCommand })).install).toBeNull()
  const bare = await partOf(python, { installCommand: 'true' })
  expect(bare.install?.argv.at(-1)).toMatch(/python3 -I -m venv [^]*\ntrue$/)
  const inPython = await partOf(python, { installCommand: 'pip install -r dev.txt' })
  expect(inPython.install?.argv.at(-1)).toContain('venv')
})

test('runs an unknown program by the settings alone', async () => {
  const part = await partOf({ 'package.json': '{' }, { testCommand: './run-tests' })
  expect(part.notes.join()).toContain('package.json is not valid JSON')
})

test('moves to the working directory, which has to be there', async () => {
  expect((await partOf({ 'web/package.json': jest }, { workingDirectory: './web/' })).directory).toBe('web')
  for (const workingDirectory of ['../x', '/etc', 'nowhere', 'web/../..', 'C:\\x', 'we\\b']) {
    await expect(partsOf({ 'web/package.json': jest }, { workingDirectory })).rejects.toMatchObject({
      code: 'bad_setting',
    })
  }
})
