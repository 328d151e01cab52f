import { expect, test } from 'vitest'
import { describeTesting } from './describe-testing.ts'
import { select } from './select.ts'
import { partOf, partsOf } from './testing/tree.ts'

const everyRunner = { vitest: '^3.0.0', jest: '^29.0.0', mocha: '^10.0.0', ava: '^6.0.0', tape: '^5.0.0' }
const lock = { 'package-lock.json': '{}' }

/** A script, the runner that is found in it, and the arguments that come through to the runner. */
const scripts: [script: string, framework: string, kept: string[]][] = [
  ['vitest', 'vitest', ['run']],
  ['vitest run', 'vitest', ['run']],
  ['vitest --run', 'vitest', ['run']],
  ['vitest watch', 'vitest', ['run']],
  ['vitest --config vitest.unit.config.ts src', 'vitest', ['--config', 'vitest.unit.config.ts', 'src']],
  ['vitest run --coverage --reporter=dot', 'vitest', ['run']],
  ['vitest run --coverage.enabled --coverage.thresholds.lines 80 --outputFile.json out.json', 'vitest', ['run']],
  ['vitest run --coverage.watermarks.lines 50,80', 'vitest', ['--coverage.watermarks.lines', '50,80']],
  ['vitest run --poolOptions.forks.maxForks 2 --poolOptions.forks.singleFork src', 'vitest', ['src']],
  ['NODE_OPTIONS=--max-old-space-size=4096 vitest run', 'vitest', ['run']],
  ['pnpm vitest run', 'vitest', ['run']],
  ['npx --yes vitest run --passWithNoTests', 'vitest', ['--passWithNoTests']],
  ['vitest run && tsc --noEmit', 'vitest', ['run']],
  ['eslint . && vitest', 'vitest', ['run']],
  ['jest', 'jest', ['--ci']],
  ['jest --watchAll', 'jest', ['--ci']],
  ['jest --watch=false --coverage --verbose', 'jest', ['--verbose']],
  [
    'cross-env NODE_ENV=test jest --runInBand --config jest.config.cjs',
    'jest',
    ['--runInBand', '--config', 'jest.config.cjs'],
  ],
  ['node --experimental-vm-modules node_modules/jest/bin/jest.js', 'jest', ['--ci']],
  ['node --experimental-vm-modules ./node_modules/.bin/jest test/unit', 'jest', ['test/unit']],
  ['dotenv -e .env.test -- jest --maxWorkers 2', 'jest', ['--maxWorkers', '2']],
  ['yarn run jest', 'jest', ['--ci']],
  ['react-scripts test', 'jest', ['test', '--watchAll=false']],
  ['react-scripts test --env=jsdom', 'jest', ['--env=jsdom']],
  ['mocha', 'mocha', []],
  [
    'mocha --require test/support/env --reporter spec --check-leaks test/ test/acceptance/',
    'mocha',
    ['--require', 'test/support/env', '--check-leaks', 'test/', 'test/acceptance/'],
  ],
  ["mocha -r ts-node/register 'test/**/*.ts'", 'mocha', ['-r', 'ts-node/register', 'test/**/*.ts']],
  ['mocha --watch -R dot --timeout 5000', 'mocha', ['--timeout', '5000']],
  ['nyc --reporter=html --reporter=text mocha', 'mocha', ['nyc']],
  ['c8 --check-coverage --lines 100 -x dist mocha test/*.js', 'mocha', ['c8', '-x', 'dist', 'test/*.js']],
  ['xo && ava', 'ava', ['--tap']],
  ['nyc tape test/**/*.js', 'tape', ['test/**/*.js']],
  ['standard && tape test/*.js', 'tape', ['test/*.js']],
  ['node --test', 'node:test', ['--test']],
  ['node --import tsx --test "src/**/*.test.ts"', 'node:test', ['--import', 'tsx', '--test', 'src/**/*.test.ts']],
  ['tsx --test test/one.ts', 'node:test', ['tsx', '--test', 'test/one.ts']],
  ['c8 node --test', 'node:test', ['--test']],
  ['playwright test --headed', 'playwright', ['test', '--reporter=list,json']],
  ['npm run lint && npm run test:unit', 'jest', ['--ci']],
  ['run-s lint test:*', 'jest', ['--ci']],
  ['yarn test:unit', 'jest', ['--ci']],
  ['cross-env DB=sqlite npm run test:unit', 'jest', ['--ci']],
  ['npm run lint && npm run gate && mocha', 'mocha', []],
  ['borp --check-coverage --lines 95 --timeout 60000', 'borp', ['--timeout', '60000']],
  ['tape test/*.js | tap-spec', 'tape', ['test/*.js']],
  ['nyc tape test/**/*.js | npx tap-dot|tee log', 'tape', ['test/**/*.js']],
  ['npm run build && npm run piped', 'tape', ['node', 'test/index.js']],
  ['node -r esbuild-register test/a.js', 'tape', ['-r', 'esbuild-register', 'test/a.js']],
  ['jasmine --config=spec/jasmine.json', 'jasmine', ['--config=spec/jasmine.json']],
]

const withVitest = { devDependencies: { vitest: '3' } }

test.for(scripts)('reads `%s` as %s', async ([script, framework, kept]) => {
  const part = await partOf({
    ...lock,
    'package.json': {
      scripts: {
        test: script,
        lint: 'eslint .',
        piped: 'node test/index.js | tap-spec',
        build: 'tsc',
        'test:unit': 'jest',
      },
      devDependencies: { ...everyRunner, '@playwright/test': '1' },
    },
  })
  expect(part.framework).toBe(framework)
  expect(part.test.argv).toEqual(expect.arrayContaining(kept))
  expect(part.test.argv.join(' ')).not.toMatch(
    /--watch(?:All)?(?: |$)|\bwatch\b|--headed|--reporter[= ](?:dot|html)|--lines/,
  )
  expect(part.test.because).toMatch(/script "test"/)
})

test('takes no value of an option of Vitest for a filter', async () => {
  for (const options of ['--coverage.thresholds.lines 80', '--outputFile.json a.json', '--sequence.seed 1']) {
    const part = await partOf({ 'package.json': { scripts: { test: `vitest run ${options} src` }, ...withVitest } })
    expect(part.test.argv.slice(-2)).toEqual([expect.stringMatching(/^-/), 'src'])
    expect(part.targetCount).toBe(1)
  }
  const script = 'vitest run --coverage.enabled --sequence.shuffle src'
  expect((await partOf({ 'package.json': { scripts: { test: script }, ...withVitest } })).targetCount).toBe(1)
})

test('adds reports and coverage without touching a file of the project', async () => {
  const part = await partOf({
    ...lock,
    'package.json': {
      scripts: { test: 'vitest' },
      devDependencies: { vitest: '^3', '@vitest/coverage-istanbul': '^3' },
    },
  })
  expect(part.test.argv).toEqual([
    'npx',
    '--no-install',
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    '--outputFile.json={output}/vitest.json',
    '--includeTaskLocation',
    '--coverage.enabled',
    '--coverage.provider=istanbul',
    '--coverage.reporter=lcovonly',
    '--coverage.reportOnFailure',
    '--coverage.reportsDirectory={output}/coverage',
    '--coverage.thresholds.lines=0',
    '--coverage.thresholds.functions=0',
    '--coverage.thresholds.branches=0',
    '--coverage.thresholds.statements=0',
  ])
  expect(part).toMatchObject({
    reports: ['{output}/vitest.json'],
    coverage: ['{output}/coverage/lcov.info'],
    failureExitCodes: [1],
  })
  expect(part.install).toMatchObject({
    argv: ['npm', 'ci'],
    lockfiles: ['package-lock.json', 'package.json'],
    folders: ['node_modules'],
  })
})

test('notes that a runner may not be installed if no manifest names it', async () => {
  const undeclared = async (devDependencies: Record<string, string>, script = 'vitest run') =>
    (await partOf({ 'package.json': { scripts: { test: script }, devDependencies } })).undeclared
  expect(await undeclared({})).toContain('does not name vitest')
  expect(await undeclared({ vitest: '3' })).toBeUndefined()
  expect(await undeclared({ '@playwright/test': '1' }, 'playwright test')).toBeUndefined()
  expect(await undeclared({}, 'node --test')).toBeUndefined()
})

test('measures the coverage of Vitest without a package for it', async () => {
  const part = await partOf({ 'package.json': { scripts: { test: 'vitest' }, devDependencies: { vitest: '1' } } })
  expect(part.test.argv).toContain('--coverage.provider=custom')
  expect(part.coverage).toEqual(['{output}/lcov.info'])
  expect(part.unmeasured?.argv.join(' ')).not.toContain('custom')
})

test('gives no version of Vitest an option that it does not know', async () => {
  const argvOf = async (vitest: string) =>
    (await partOf({ 'package.json': { scripts: { test: 'vitest' }, devDependencies: { vitest } } })).test.argv
  for (const version of ['^1.6.1', '^2.1.9', '2', 'latest', 'catalog:']) {
    expect(await argvOf(version), version).not.toContain('--includeTaskLocation')
  }
  for (const version of ['3', '^3.0.0', '~4.1.0']) expect(await argvOf(version)).toContain('--includeTaskLocation')
})

test('says why there is no coverage', async () => {
  const devDependencies = { vitest: '3', '@vitest/browser': '3' }
  const part = await partOf({ 'package.json': { scripts: { test: 'vitest' }, devDependencies } })
  expect(part.notes.join()).toContain('No coverage, because neither @vitest/coverage-v8')
})

test("keeps the options of Vitest's coverage, except those that decide where the report goes", async () => {
  const test =
    'vitest run --coverage --coverage.provider istanbul --coverage.include "src/**" --coverage.reporter=html a'
  const part = await partOf({ 'package.json': { scripts: { test }, devDependencies: { vitest: '3' } } })
  const line = part.test.argv.join(' ')
  expect(line).toContain('--coverage.provider istanbul --coverage.include src/**')
  expect(line.match(/--coverage\.provider/g)).toHaveLength(1)
  expect(line).not.toContain('html')
  expect(part.targetCount).toBe(1)
})

test('runs what builds before the tests, and leaves out what tests nothing', async () => {
  const part = await partOf({
    'package.json': {
      scripts: { pretest: 'npm run build', build: 'tsc -p . && cp a b', test: 'eslint . && jest && codecov' },
      devDependencies: { jest: '29' },
    },
  })
  expect(part.prepare.map(({ command }) => command)).toEqual(['tsc -p .', 'cp a b'])
  expect(part.notes.join()).toContain('Skipped commands that test nothing: `eslint .`, `codecov`.')
})

test('makes a part of each runner that a script runs one after the other', async () => {
  const parts = await partsOf({
    'package.json': {
      scripts: { test: 'vitest run && playwright test' },
      devDependencies: { vitest: '3', '@playwright/test': '1' },
    },
  })
  expect(parts.map(({ framework, install }) => [framework, install !== null])).toEqual([
    ['vitest', true],
    ['playwright', false],
  ])
})

test.for([
  ['a pipe into a program that may decide', 'jest --json | node check.js', 'jest'],
  ['a condition', 'jest || exit 1', 'jest'],
  ['a variable', 'jest $FILES', 'jest'],
  ['a folder', 'cd packages && jest', 'jest'],
  ['a subshell', "node --test $(find test -name '*-test.js')", 'node:test'],
  ['a megabyte', `echo ${'a'.repeat(1_000_000)} && jest`, 'jest'],
  ['jake', 'npx jake test', 'mocha'],
  ['gulp', 'gulp build test --silent', 'mocha'],
  ['grunt', 'grunt', 'mocha'],
  ['make', 'make test', 'mocha'],
  ['a program of its own', 'node scripts/run.js', 'mocha'],
  ['a program before the runner', 'node bin/setup.js mocha test/unit --exit', 'mocha'],
  ['a program that decides the exit code', 'mocha -R tap | tap-set-exit', 'mocha'],
] as const)('runs a script with %s as the project wrote it', async ([, script, writtenFor]) => {
  const devDependencies = writtenFor === 'node:test' ? {} : { [writtenFor]: '*' }
  const part = await partOf({ 'package.json': { scripts: { test: script }, devDependencies } })
  expect(part).toMatchObject({ framework: null, writtenFor, test: { command: 'npm test' }, failureExitCodes: null })
  expect(part.test.argv.join(' ')).toContain('npm run "test"')
  expect(part.unmeasured?.argv.join(' ')).toContain('npm run "test"')
  expect(part.reports).toContain('**/junit*.xml')
  expect(part.elseReports).toContain('{output}/*.tap')
  expect(part.coverage).toContain('{output}/lcov.info')
  const one = select(part, { paths: ['test/a.js'], tests: [] })
  expect(one).toMatchObject({ step: { environment: { ASSAY_TESTS: '["{root}/test/a.js"]' } } })
})

test.for([['npm test'], ['eslint .']])('runs the runner where the script `%s` runs no tests', async ([script = '']) => {
  const part = await partOf({ 'package.json': { scripts: { test: script }, devDependencies: { jest: '29' } } })
  expect(part).toMatchObject({ framework: 'jest', test: { because: expect.stringContaining('runs no tests') } })
})

test.for(['mocha', 'tape', 'ava', 'tap', 'jasmine', 'borp', 'node --test'])(
  'lets Node measure the coverage of %s',
  async (runner) => {
    const part = await partOf({ 'package.json': { scripts: { test: runner }, devDependencies: { [runner]: '*' } } })
    expect(part.test.argv.slice(0, 2)).toEqual(['node', '{tools}/v8-coverage.mjs'])
    expect(part.unmeasured?.argv).toEqual(part.test.argv.slice(4))
    expect(part.coverage).toEqual(['{output}/lcov.info'])
    expect(describeTesting(part).command).toBe(runner === 'node --test' ? runner : `npx ${runner}`)
  },
)

test.for([
  [{ 'pnpm-lock.yaml': '' }, {}, 'pnpm', 'pnpm install --frozen-lockfile'],
  [{ 'yarn.lock': '# yarn lockfile v1' }, {}, 'yarn', 'yarn install --frozen-lockfile'],
  [{ 'yarn.lock': '__metadata:\n  version: 8' }, {}, 'yarn', 'yarn install --immutable'],
  [{ 'yarn.lock': '' }, { packageManager: 'yarn@4.5.0+sha224.abc' }, 'yarn', 'yarn install --immutable'],
  [{ 'bun.lock': '' }, {}, 'bun', 'bun install --frozen-lockfile'],
  [{ 'npm-shrinkwrap.json': '' }, {}, 'npm', 'npm ci'],
  [{ 'package-lock.json': '', 'pnpm-lock.yaml': '' }, { packageManager: 'npm@10.0.0' }, 'npm', 'npm ci'],
  [{}, {}, 'npm', 'npm install --no-package-lock'],
  [{}, { packageManager: 'pnpm@9.1.0' }, 'pnpm', 'pnpm install --no-frozen-lockfile'],
] as const)('installs with what the lockfile belongs to: %j', async ([files, json, manager, command]) => {
  const part = await partOf({
    ...files,
    'package.json': { ...json, scripts: { test: 'jest' }, devDependencies: { jest: '29' } },
  })
  expect(part).toMatchObject({ manager, install: { command } })
  expect(part.install?.lockfiles).toContain(
    Object.keys(files)[0] === 'package-lock.json' ? 'package-lock.json' : (Object.keys(files)[0] ?? 'package.json'),
  )
})

test('runs the scripts of the root again after a restored install, but no git hooks', async () => {
  const part = await partOf({
    'package.json': {
      scripts: { test: 'jest', prepare: 'husky install', postinstall: 'node gen.js' },
      devDependencies: { jest: '29' },
    },
  })
  expect(part.prepare.map(({ command }) => command)).toEqual(['npm run postinstall'])
})

test('caches nothing where packages of the workspace have scripts that run on install', async () => {
  const part = await partOf({
    ...lock,
    'package.json': { workspaces: ['packages/*'], scripts: { test: 'jest' }, devDependencies: { jest: '29' } },
    'packages/a/package.json': { scripts: { prepare: 'tsc' } },
  })
  expect(part.install?.lockfiles).toEqual([])
  expect(part.notes.join()).toContain('packages/a/package.json has install scripts')
})

test('installs a package of a workspace by what the workspace says, too', async () => {
  const part = await partOf(
    {
      ...lock,
      'package.json': { workspaces: ['packages/*'] },
      'packages/a/package.json': { scripts: { test: 'jest' }, devDependencies: { jest: '29' } },
    },
    { workingDirectory: 'packages/a' },
  )
  expect(part.install?.lockfiles).toEqual(['package-lock.json', 'package.json', 'packages/a/package.json'])
})

test('installs nothing where nothing is needed', async () => {
  const part = await partOf({
    'package.json': { scripts: { test: 'node --test test/*.js' } },
    'test/b.js': '',
    'test/a.js': '',
  })
  expect(part.install).toBeNull()
  expect(part.test.argv.slice(-2)).toEqual(['test/a.js', 'test/b.js'])
  expect(part.targetCount).toBe(2)
})

test("runs every package's own tests where the root only passes the word on", async () => {
  const parts = await partsOf({
    'pnpm-lock.yaml': '',
    'pnpm-workspace.yaml': 'packages:\n  - "packages/*"\n  - "!packages/skip"\n',
    'package.json': { scripts: { test: 'pnpm -r test' }, devDependencies: { '@vitest/coverage-v8': '3' } },
    'packages/a/package.json': { scripts: { test: 'vitest' }, devDependencies: { vitest: '3' } },
    'packages/b/package.json': { scripts: { test: 'mocha' }, devDependencies: { mocha: '10' } },
    'packages/skip/package.json': { scripts: { test: 'mocha' } },
  })
  expect(parts.map(({ directory, framework }) => [directory, framework])).toEqual([
    ['packages/a', 'vitest'],
    ['packages/b', 'mocha'],
  ])
  expect(parts[0]?.install?.argv).toContain('{root}')
  expect(parts[0]?.coverage).toHaveLength(1)
  expect(parts[1]?.install).toBeNull()
})

test('chooses the script of a type, and says where a project has none', async () => {
  const files = {
    'package.json': {
      scripts: { test: 'jest', 'test:unit': 'jest unit', 'test:e2e': 'playwright test' },
      devDependencies: { jest: '29' },
    },
  }
  expect((await partOf(files, {}, 'UNIT')).test.argv.at(-1)).toBe('unit')
  expect((await partOf(files, {}, 'E2E')).framework).toBe('playwright')
  await expect(partOf(files, {}, 'INTEGRATION')).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('INTEGRATION'),
  })
})

test('notes the commands after the tests, which it does not run', async () => {
  const part = await partOf({
    'package.json': {
      scripts: { test: 'jest && npm run other', other: 'node a > b' },
      devDependencies: { jest: '29' },
    },
  })
  expect(part.notes.join()).toContain(
    'Not run: `npm run other`, which the script "test" of package.json runs after the tests.',
  )
})

test('does not assume that a package has tests because the root names a runner', async () => {
  const parts = await partsOf({
    'package.json': {
      workspaces: ['packages/*'],
      scripts: { test: 'dotenv -- turbo test' },
      devDependencies: { vitest: '3' },
    },
    'packages/config/package.json': {},
    'packages/a/package.json': { scripts: { test: 'vitest' } },
  })
  expect(parts.map(({ directory }) => directory)).toEqual(['packages/a'])
})
