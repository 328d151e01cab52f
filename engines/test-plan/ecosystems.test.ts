import { expect, test } from 'vitest'
import { describeTesting } from './describe-testing.ts'
import { findGoModules } from './go-modules.ts'
import { partOf, partsOf, tree } from './testing/tree.ts'

const pytestFile = 'def test_one():\n    assert True\n'
const unittestFile = 'import unittest\nclass A(unittest.TestCase):\n    def test_one(self): pass\n'

test.for([
  [
    'requirements',
    { 'requirements.txt': 'flask', 'requirements-dev.txt': 'pytest' },
    'pip',
    'pip install -r requirements-dev.txt -r requirements.txt',
  ],
  [
    'an extra',
    {
      'pyproject.toml':
        '[project]\nname="a"\ndependencies=["x"]\n[project.optional-dependencies]\ntest=["pytest"]\ndocs=["sphinx"]',
    },
    'pip',
    "pip install -e '.[test]'",
  ],
  [
    'groups',
    {
      'pyproject.toml':
        '[project]\nname="a"\ndependencies=["x"]\n[dependency-groups]\ntest=["pytest", {include-group="more"}]\nmore=["mock>=1"]',
    },
    'pip',
    "pip install -e . pytest 'mock>=1'",
  ],
  [
    'setup.py',
    { 'setup.py': 'setup(name="a", install_requires=["x"], extras_require={"dev": ["pytest"]})' },
    'pip',
    "pip install -e '.[dev]'",
  ],
  [
    'setup.cfg',
    {
      'setup.cfg':
        '[metadata]\nname = a\n[options]\ninstall_requires =\n  x\n[options.extras_require]\ntesting =\n  pytest\n',
    },
    'pip',
    "pip install -e '.[testing]'",
  ],
  [
    'uv',
    { 'uv.lock': '', 'pyproject.toml': '[project]\nname="a"\n[dependency-groups]\ndev=["pytest"]' },
    'uv',
    'uv sync --frozen --group dev',
  ],
  [
    'Poetry',
    {
      'poetry.lock': '',
      'pyproject.toml':
        '[tool.poetry]\nname="a"\n[tool.poetry.group.test]\noptional=true\n[tool.poetry.group.test.dependencies]\npytest="^8"',
    },
    'poetry',
    'poetry install --no-interaction --with test',
  ],
  ['Pipenv', { 'Pipfile.lock': '{}', Pipfile: '[dev-packages]\npytest="*"' }, 'pipenv', 'pipenv sync --dev'],
] as const)('installs a Python program by its %s', async ([, files, manager, command]) => {
  const part = await partOf({ ...files, 'tests/test_a.py': pytestFile })
  expect(part).toMatchObject({ framework: 'pytest', manager, install: { command, fillsDeps: true } })
  expect(part.install?.lockfiles.length).toBeGreaterThan(0)
  expect(part.test.argv.slice(4, 7)).toEqual(['{deps}/venv/bin/python', '-m', 'pytest'])
  expect(part.unmeasured?.argv.slice(0, 3)).toEqual(['{deps}/venv/bin/python', '-m', 'pytest'])
  expect(part.install?.argv.join()).toContain('pip install --retries 1 --timeout 20 coverage || true')
})

test('measures the coverage of pytest by its plugin, or by the package that the install adds', async () => {
  const without = await partOf({ 'requirements.txt': 'pytest', 'test_a.py': pytestFile })
  expect(without).toMatchObject({ coverage: ['{output}/coverage.xml'], notes: [] })
  expect(without.test.argv.join(' ')).toContain('-m coverage run --branch')
  expect(describeTesting(without).command).toBe('python -m pytest')
  const settings = { 'requirements.txt': 'pytest-xdist', 'pytest.ini': '[pytest]\naddopts = -n auto\n' }
  const parallel = await partOf({ ...settings, 'test_a.py': pytestFile })
  expect(parallel).toMatchObject({ coverage: [], notes: [expect.stringContaining('pytest-cov')] })
  const plugin = await partOf({ 'requirements.txt': 'pytest\npytest-cov', 'test_a.py': pytestFile })
  expect(plugin.test.argv).toEqual(expect.arrayContaining(['--cov', '--cov-report=xml:{output}/coverage.xml']))
  const configured = await partOf({
    'requirements.txt': 'pytest-cov',
    'pytest.ini': '[pytest]\naddopts = --cov=pkg',
    'test_a.py': pytestFile,
  })
  expect(configured.test.argv).not.toContain('--cov')
  const tool = await partOf({ 'requirements.txt': 'pytest\ncoverage', 'test_a.py': pytestFile })
  expect(tool.test.argv.join(' ')).toContain('-m coverage run --branch')
  const files = { 'test_a.py': pytestFile }
  const written = await partOf(files, { testCommand: 'coverage run -m pytest -q' })
  expect(written).toMatchObject({ coverage: ['{output}/coverage.xml'], notes: [] })
  expect(written.test.argv.slice(4, 8)).toEqual(['{deps}/venv/bin/python', '-m', 'pytest', '-q'])
  const byPlugin = await partOf(files, { testCommand: 'pytest --cov=pkg' })
  expect(byPlugin.test.argv).toEqual(expect.arrayContaining(['--cov=pkg', '--cov-report=xml:{output}/coverage.xml']))
})

test.for([
  [
    {
      'tox.ini':
        '[testenv]\ndeps = pytest\n  attrs>=20\ncommands =\n  python -V\n  pytest -v --basetemp={envtmpdir} {posargs:checks}\n',
    },
    '-v',
    'checks',
  ],
  [{ 'setup.cfg': '[testenv]\ncommands = py3: coverage run -m pytest -q {posargs}\n' }, '-q'],
  [{ 'pyproject.toml': "[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\ncommands = pytest -rs\n'''\n" }, '-rs'],
  [
    {
      'pyproject.toml':
        '[tool.tox.env_run_base]\ncommands = [["pytest", "--tb=short", "--basetemp={env_tmp_dir}", { replace = "posargs", default = ["unit"], extend = true }]]\n',
    },
    '--tb=short',
    'unit',
  ],
  [
    {
      'noxfile.py':
        "import nox\n@nox.session\ndef tests(session):\n    session.install('pytest')\n    session.run('pytest', '-x', *session.posargs)\n",
    },
    '-x',
  ],
] as const)('runs what tox or nox run: %j', async ([files, ...kept]) => {
  const part = await partOf({ ...files, 'setup.py': '', 'checks/test_a.py': pytestFile, 'unit/test_b.py': pytestFile })
  expect(part.framework).toBe('pytest')
  expect(part.unmeasured?.argv).toEqual(expect.arrayContaining([...kept]))
  expect(part.test.argv.join(' ')).not.toContain('tmp')
  expect(part.test.because).toMatch(/^(?:tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py) has the command/)
})

const toxFiles = {
  'requirements.txt': 'pytest',
  'tests/unit/test_a.py': pytestFile,
  'tests/integration/test_b.py': pytestFile,
  'legacy/test_c.py': pytestFile,
}
const targetsOf = (parts: Awaited<ReturnType<typeof partsOf>>) =>
  parts.map(({ test: { argv }, targetCount = 0 }) => argv.slice(argv.length - targetCount))

test('runs all test commands of tox, in its folder and with its variables', async () => {
  const tox =
    '[testenv]\nsetenv =\n  DJANGO_SETTINGS_MODULE=tests.settings\n  DATA = {toxinidir}/data\n  HOME = {envtmpdir}\nchangedir = tests\ncommands =\n  pytest unit\n  pytest {toxinidir}/legacy\n  mypy src\n  python manage.py test\n'
  const parts = await partsOf({ ...toxFiles, 'tox.ini': tox })
  expect(targetsOf(parts)).toEqual([['tests/unit'], ['legacy']])
  for (const { test: step } of parts) {
    expect(step.environment).toMatchObject({ DJANGO_SETTINGS_MODULE: 'tests.settings', DATA: '{root}/data' })
    expect(step.environment).not.toHaveProperty('HOME')
  }
  expect(parts[0]?.notes).toEqual(['Assay does not run the command `python manage.py test` of tox.ini.'])
  const whole = await partsOf({ ...toxFiles, 'tox.ini': '[testenv]\nchange_dir = tests\ncommands = pytest\n' })
  expect(targetsOf(whole)).toEqual([['tests']])
})

test.for([
  ['py27: pytest legacy\n  !py27: pytest tests', ['tests'], ['pytest legacy']],
  ['cov: pytest --cov tests\n  !cov: pytest tests', ['tests'], ['pytest --cov tests']],
  ['py{310,311}: pytest tests\n  py312: pytest legacy', ['tests'], ['pytest legacy']],
  ['pytest tests\n  py312: pytest legacy', ['tests'], ['pytest legacy']],
  ['windows: pytest legacy', [], ['pytest legacy']],
] as const)('reads for which environments tox runs a command: %s', async ([commands, targets, omitted]) => {
  const part = await partOf({ ...toxFiles, 'tox.ini': `[testenv]\ncommands =\n  ${commands}\n` })
  expect(targetsOf([part])).toEqual([targets])
  expect(part.notes).toEqual(omitted.map((line) => `Assay does not run the command \`${line}\` of tox.ini.`))
})

test('prefers the session of nox whose name says tests', async () => {
  const session = (name: string, ...lines: string[]) =>
    `@nox.session(python=["3.11"])\ndef ${name}(session):\n${lines.map((line) => `    session.${line}\n`).join('')}\n`
  const noxfile = [
    'import nox\n',
    session('docs', 'install("sphinx")', 'run("pytest", "--doctest-modules", "docs")'),
    session('tests', 'chdir("tests")', 'install("pytest")', 'run("pytest", "unit", env={"A": "1", "B": "2"})'),
  ].join('')
  const part = await partOf({ ...toxFiles, 'noxfile.py': noxfile })
  expect(targetsOf([part])).toEqual([['tests/unit']])
  expect(part.test.environment).toMatchObject({ A: '1', B: '2' })
  expect(part.install?.command).not.toContain('sphinx')
  expect(part.notes).toEqual(['Assay does not run the command `pytest --doctest-modules docs` of noxfile.py.'])
})

test('installs the packages that tox names', async () => {
  const tox = '[testenv]\ndeps =\n  pytest\n  attrs>=20\n  -r{toxinidir}/x.txt\ncommands = pytest\n'
  const part = await partOf({ 'tox.ini': tox, 'test_a.py': pytestFile })
  expect(part.install?.argv.join(' ')).toContain("pip install pytest 'attrs>=20'")
})

test('keeps to the framework of the tests where tox runs a program of its own', async () => {
  const tox = '[testenv]\ncommands = make test\n'
  expect((await partOf({ 'tox.ini': tox, 'requirements.txt': 'pytest', 'test_a.py': pytestFile })).framework).toBe(
    'pytest',
  )
})

test('runs tests that only use unittest without installing anything but coverage', async () => {
  const part = await partOf({ 'a.py': '', 'tests/test_a.py': unittestFile })
  expect(part).toMatchObject({ framework: 'unittest', manager: null, reports: ['{output}/junit.xml'] })
  expect(part.install).toMatchObject({ command: 'pip install coverage', readsTree: false, fillsDeps: true })
  expect(part.test.argv.slice(0, 2)).toEqual(['python3', '{tools}/unittest_junit.py'])
  expect(part.test.command).toBe('python -m unittest discover')
})

test('needs no network where the machine has pytest', async () => {
  const part = await partOf({ 'test_a.py': pytestFile })
  expect(part.install?.argv.at(-1)).toMatch(
    /--system-site-packages .*import pytest' 2>\/dev\/null \|\| .*pip install pytest/,
  )
  expect(part.install?.because).toContain('only pytest is fetched if it is missing')
})

test('caches no install that leaves compiled code in the repository', async () => {
  const part = await partOf({
    'setup.py': 'setup(install_requires=["x"], ext_modules=[Extension("a")])',
    'test_a.py': pytestFile,
  })
  expect(part.install?.lockfiles).toEqual([])
  expect(part.notes.join()).toContain('not cached, because the build')
})

test('finds packages of a src folder', async () => {
  const part = await partOf({ 'requirements.txt': 'pytest', 'src/a/b.py': '', 'tests/test_a.py': pytestFile })
  expect(part.test.environment.PYTHONPATH).toBe('{root}/src')
})

test('runs a folder of tests where a type was asked for', async () => {
  const files = {
    'requirements.txt': 'pytest',
    'tests/unit/test_a.py': pytestFile,
    'tests/integration/test_b.py': pytestFile,
  }
  const part = await partOf(files, {}, 'UNIT')
  expect(part.test.argv.at(-1)).toBe('tests/unit')
  await expect(partOf(files, {}, 'E2E')).rejects.toMatchObject({ code: 'unsupported' })
})

test('runs go test, whose output is the report', async () => {
  const part = await partOf({ 'go.mod': 'module a', 'go.sum': '', 'a_test.go': '' })
  expect(part).toMatchObject({
    framework: 'go test',
    install: { command: 'go mod download', lockfiles: ['go.mod', 'go.sum'], fillsDeps: true },
    test: {
      argv: ['go', 'test', '-json', '-coverprofile={output}/cover.out', './...'],
      stdoutReport: 'go.json',
      environment: { GOPROXY: 'off' },
    },
    coverage: ['{output}/cover.out'],
  })
})

test('names the modules of a Go workspace', async () => {
  const part = await partOf({
    'go.work': 'go 1.22\nuse (\n\t./a\n\t./b // two\n\t../c\n)',
    'a/go.mod': '',
    'b/go.mod': '',
    'a/a_test.go': '',
  })
  expect(part.test.argv.slice(-2)).toEqual(['./a/...', './b/...'])
})

test('runs cargo test offline, or nextest where it is set up', async () => {
  const files = { 'Cargo.toml': '[workspace]\nmembers=["a"]', 'Cargo.lock': '', 'a/src/lib.rs': '' }
  expect(await partOf(files)).toMatchObject({
    framework: 'cargo test',
    install: { command: 'cargo fetch --locked' },
    test: { argv: ['cargo', 'test', '--offline', '--no-fail-fast', '--workspace'], stdoutReport: 'cargo.txt' },
    failureExitCodes: [101],
  })
  expect((await partOf({ ...files, '.config/nextest.toml': '' })).framework).toBe('nextest')
})

const javaTest = { 'src/test/java/ATest.java': '' }

test('runs Maven offline with its wrapper, and further than the unit tests where failsafe is used', async () => {
  const pom = (plugin: string) =>
    `<project><build><plugins><plugin><artifactId>${plugin}</artifactId></plugin></plugins></build></project>`
  const plain = await partOf({ 'pom.xml': '<project/>', ...javaTest })
  expect(plain.test.argv).toEqual(['mvn', '-B', '-o', '-Dmaven.repo.local={deps}/m2', '-fae', 'test'])
  const failsafe = await partOf({ mvnw: '', 'pom.xml': pom('maven-failsafe-plugin'), ...javaTest })
  expect([failsafe.test.argv[0], failsafe.test.argv.at(-1)]).toEqual(['./mvnw', 'verify'])
  expect((await partOf({ 'pom.xml': pom('jacoco-maven-plugin'), ...javaTest })).coverage).toHaveLength(1)
})

test('runs Gradle with its wrapper', async () => {
  const part = await partOf({ gradlew: '', 'build.gradle.kts': 'plugins { jacoco }', ...javaTest })
  expect(part.test.argv).toEqual(expect.arrayContaining(['./gradlew', '--offline', 'jacocoTestReport', 'test']))
  expect(part).toMatchObject({ ecosystem: 'java', manager: 'gradle', framework: 'gradle' })
})

test('runs specs and tests of Ruby', async () => {
  const parts = await partsOf({
    Gemfile: 'gem "rspec"',
    'Gemfile.lock': '',
    'spec/a_spec.rb': '',
    'test/a_test.rb': '',
    'test/test_helper.rb': '',
  })
  expect(parts.map(({ framework }) => framework)).toEqual(['rspec', 'minitest'])
  expect(parts[0]?.install?.lockfiles).toEqual(['Gemfile', 'Gemfile.lock'])
  expect(parts[1]?.test.argv.at(-1)).toBe('test/a_test.rb')
})

const testUnitHelper = '# Loads all.\nrequire "test/unit"\n'

test.for([
  ['the Gemfile', { Gemfile: 'gem "test-unit"' }, 'test-unit'],
  ['the gemspec', { 'a.gemspec': 's.add_development_dependency "test-unit"' }, 'test-unit'],
  ['the helper', { 'a.gemspec': '', 'test/helper.rb': testUnitHelper }, 'test-unit'],
  ['a test', { 'a.gemspec': '', 'test/test_a.rb': "require 'test-unit'" }, 'test-unit'],
  ['two gems', { Gemfile: 'gem "test-unit"\ngem "minitest-reporters"' }, 'minitest'],
  ['another gem', { Gemfile: 'gem "minitest"', 'test/helper.rb': testUnitHelper }, 'minitest'],
  [
    'two helpers',
    { 'test/test_helper.rb': 'require "minitest/autorun"', 'test/helper.rb': testUnitHelper },
    'minitest',
  ],
  ['Rails', { Gemfile: 'gem "test-unit"', 'bin/rails': '' }, 'minitest'],
] as const)('knows from %s what runs the tests of Ruby', async ([, files, framework]) => {
  const part = await partOf({ 'a.gemspec': '', 'test/test_a.rb': '', ...files })
  expect(part.framework).toBe(framework)
})

test('runs test-unit, with a report and coverage', async () => {
  const part = await partOf({
    Gemfile: 'gem "test-unit"',
    'test/test_a.rb': '',
    'test/b_test.rb': '',
    'test/helper.rb': '',
  })
  expect(part).toMatchObject({
    test: {
      argv: 'bundle exec ruby -Ilib -Itest {tools}/test_unit_run.rb test/b_test.rb test/test_a.rb'.split(' '),
      environment: { RUBYOPT: '-r{tools}/ruby/assay_coverage.rb', ASSAY_JUNIT: '{output}/junit.xml' },
    },
    reports: ['{output}/junit.xml'],
    coverage: ['{output}/ruby-*.info'],
    failureExitCodes: [1],
  })
  expect(part.unmeasured?.environment.RUBYOPT).toBeUndefined()
})

test('runs PHPUnit', async () => {
  const part = await partOf({
    'composer.json': { 'require-dev': { 'phpunit/phpunit': '^11' } },
    'composer.lock': '{}',
    'phpunit.xml.dist': '<testsuite name="Unit">',
    'tests/ATest.php': '',
  })
  expect(part).toMatchObject({ framework: 'phpunit', manager: 'composer', install: { folders: ['vendor'] } })
  expect(part.test.command).toBe('vendor/bin/phpunit --log-junit={output}/junit.xml')
})

test('runs dotnet test', async () => {
  const project =
    '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" /><PackageReference Include="coverlet.collector" /></ItemGroup></Project>'
  const part = await partOf({ 'App.sln': '', 'tests/App.Tests/App.Tests.csproj': project })
  expect(part.test.argv).toEqual([
    'dotnet',
    'test',
    'App.sln',
    '--no-restore',
    '--logger',
    'trx',
    '--results-directory={output}',
    '--collect',
    'XPlat Code Coverage',
  ])
  expect(part).toMatchObject({ ecosystem: 'csharp', install: { command: 'dotnet restore App.sln', folders: ['obj'] } })
})

test('fetches for Maven what runs tests, which it does only once it has found a class of them', async () => {
  const files = { 'pom.xml': '<project/>', 'src/test/java/ATest.java': '' }
  expect((await partOf(files)).install?.argv).toContain('-Dtest=*#noSuchTestAtAll')
  const own = await partOf(files, { testCommand: 'mvn -B -Dmaven.repo.local=/srv/m2 test' })
  expect(own.test.argv.filter((word) => /^-(?:B|Dmaven.repo.local)/.test(word))).toEqual([
    '-B',
    '-Dmaven.repo.local=/srv/m2',
  ])
})

test.for([
  [{ 'test/fixtures/sample_test.go': '', 'test/fixtures/sample.go': '' }],
  [{ 'fixtures/a/sample.go': '', 'fixtures/a/sample_test.go': '', 'docs/a.go': '', 'docs/a_test.go': '' }],
  [{ 'grammars/sample_test.go': '' }],
  [{ 'tool/sample.go': '', 'tool/sample_test.go': '' }],
] as const)('plans no Go for files of another program: %j', async ([files]) => {
  const program = { 'package.json': { scripts: { test: 'mocha' }, devDependencies: { mocha: '10' } }, ...files }
  expect(await partsOf(program)).toMatchObject([{ ecosystem: 'javascript' }])
})

test('plans Go packages that have no go.mod, without changing the repository', async () => {
  const files = {
    'thing.go': 'package thing\n\nimport "github.com/acme/thing/sub"\n',
    'thing_test.go': 'package thing_test\n',
    'sub/sub.go': 'package sub\n',
  }
  const part = await partOf(files)
  expect(part).toMatchObject({ framework: 'go test', test: { command: expect.stringMatching(/^go test -json/) } })
  expect(part.test.argv.join(' ')).toContain("echo 'module github.com/acme/thing' > {deps}/module/go.mod")
  expect(part.test.environment.GOFLAGS).toContain('-overlay={deps}/module/overlay.json')
  expect(part.install?.command).toBe('go mod tidy')
  expect(part.notes.join()).toContain('has no go.mod')
  expect(describeTesting(part).command).toBe('go test ./...')
  expect(await findGoModules(tree(files), [part])).toEqual([{ path: 'github.com/acme/thing', folder: '' }])
  expect((await partOf({ ...files, 'go.mod': 'module x' })).test.argv[0]).toBe('go')
})

test('lets Ruby measure coverage, and reads what the formatters of SimpleCov write', async () => {
  const gem = { 'a.gemspec': '', 'spec/a_spec.rb': '', 'test/a_test.rb': '' }
  for (const part of await partsOf(gem)) {
    expect(part.test.environment.RUBYOPT).toBe('-r{tools}/ruby/assay_coverage.rb')
    expect(part.unmeasured?.environment.RUBYOPT).toBeUndefined()
    expect(part.coverage).toEqual(['{output}/ruby-*.info'])
  }
  const [covered] = await partsOf({ ...gem, Gemfile: "gem 'simplecov'" })
  expect(covered?.notes.join()).toContain('SimpleCov')
  const [formatted] = await partsOf({ ...gem, Gemfile: "gem 'simplecov-lcov'" })
  expect(formatted?.coverage).toEqual(['coverage/lcov/*.lcov', 'coverage/lcov.info', '{output}/ruby-*.info'])
  const own = await partOf(gem, { testCommand: 'RUBYOPT=-w rspec' })
  expect(own.test.environment.RUBYOPT).toBe('-r{tools}/ruby/assay_coverage.rb -w')
})
