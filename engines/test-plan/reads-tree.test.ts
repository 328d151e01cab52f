import { expect, test } from 'vitest'
import { detectPlan } from './detect.ts'
import type { PlanSettings } from './plan.ts'
import { isPlainGemfile } from './ruby.ts'
import { noSettings, partOf, partsOf, tree } from './testing/tree.ts'

type Files = Record<string, string | object>

/** @param links - are not regular files */
async function readsTree(files: Files, settings: Partial<PlanSettings> = {}, links: readonly string[] = []) {
  const all = tree(files)
  const source = { paths: all.paths, read: async (path: string) => (links.includes(path) ? null : all.read(path)) }
  const { parts } = await detectPlan(source, { ...noSettings, ...settings }, 'ALL')
  expect(parts).toHaveLength(1)
  return parts[0]?.install?.readsTree
}

const registry = (name: string, more: object = {}) => ({
  [`node_modules/${name}`]: {
    version: '1.0.0',
    resolved: `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1)}-1.0.0.tgz`,
    integrity: 'sha512-abc',
    ...more,
  },
})
const npm = (packages: object, manifest: object = {}, files: Files = {}): Files => ({
  'package.json': { scripts: { test: 'jest' }, devDependencies: { jest: '29' }, ...manifest },
  'package-lock.json': { lockfileVersion: 3, packages: { '': {}, ...packages } },
  ...files,
})

test('an install by npm reads only the lockfile if no package runs a script', async () => {
  expect(await readsTree(npm({}))).toBe(false)
  expect(await readsTree(npm(registry('jest')))).toBe(false)
  expect(await readsTree(npm(registry('@babel/core')))).toBe(false)
  expect(await readsTree(npm({ ...registry('esbuild', { hasInstallScript: true }) }))).toBe(false)
  expect(await readsTree(npm({}, { scripts: { test: 'jest', lint: 'eslint' } }))).toBe(false)
  expect(await readsTree(npm({}, {}, { '.npmrc': 'registry=https://npm.example.com/\n# one\nfund = false\n' }))).toBe(
    false,
  )
  const workspace = { 'node_modules/a': { resolved: 'packages/a', link: true }, 'packages/a': {} }
  const member = { 'packages/a/package.json': { name: 'a' } }
  expect(await readsTree(npm(workspace, { workspaces: ['packages/*'] }, member))).toBe(false)
})

test.each<[string, Files]>([
  ...['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'].map(
    (name): [string, Files] => [`the script ${name}`, npm({}, { scripts: { test: 'jest', [name]: 'node x.js' } })],
  ),
  ['a script of a dependency', npm(registry('prisma', { hasInstallScript: true }))],
  [
    'another package under the name of a reviewed one',
    npm({
      'node_modules/esbuild': {
        hasInstallScript: true,
        integrity: 'sha512-a',
        resolved: 'https://registry.npmjs.org/evil/-/evil-1.0.0.tgz',
      },
    }),
  ],
  [
    'a dependency of git',
    npm(registry('a', { resolved: 'git+ssh://git@github.com/a/a.git#abc', integrity: undefined })),
  ],
  ['a tarball without a checksum', npm(registry('a', { integrity: undefined }))],
  ['a tarball of the repository', npm(registry('a', { resolved: 'file:a.tgz' }))],
  [
    'a script of a workspace',
    npm(
      { 'packages/a': {} },
      { workspaces: ['packages/*'] },
      { 'packages/a/package.json': { scripts: { prepublish: 'x' } } },
    ),
  ],
  ['a script of a linked folder', npm({ 'libs/a': {} }, {}, { 'libs/a/package.json': { scripts: { install: 'x' } } })],
  ['a folder outside', npm({ '../a': {} })],
  ['an addon', npm({}, {}, { 'binding.gyp': '{}' })],
  [
    'an addon of a workspace',
    npm({ 'packages/a': {} }, {}, { 'packages/a/package.json': {}, 'packages/a/binding.gyp': '{}' }),
  ],
  ['options for node', npm({}, {}, { '.npmrc': 'node-options=--require ./evil.js\n' })],
  ['another shell', npm({}, {}, { '.npmrc': 'fund=false\nscript-shell=./evil.sh' })],
  ['no lockfile', { 'package.json': { scripts: { test: 'jest' }, devDependencies: { jest: '29' } } }],
  ['an old lockfile', { ...npm({}), 'package-lock.json': { lockfileVersion: 1, dependencies: {} } }],
  ['a shrinkwrap, which npm prefers', { ...npm({}), 'npm-shrinkwrap.json': { lockfileVersion: 3, packages: {} } }],
  ['versions of another file', npm({}, { volta: { extends: './versions/volta.json' } })],
  ['installed files in the commit', npm({}, {}, { 'packages/a/node_modules/b/index.js': '' })],
  ['a broken lockfile', { ...npm({}), 'package-lock.json': '{' }],
  ...['yarn.lock', 'pnpm-lock.yaml', 'bun.lock'].map((name): [string, Files] => [
    name,
    { 'package.json': { scripts: { test: 'jest' }, devDependencies: { jest: '29' } }, [name]: '' },
  ]),
])('an install of JavaScript may read every file with %s', async (_, files) => {
  expect(await readsTree(files)).toBe(true)
})

const playwright = { ...registry('@playwright/test'), ...registry('playwright', { bin: { playwright: 'cli.js' } }) }
const browserTests = { scripts: { test: 'playwright test' }, devDependencies: { '@playwright/test': '1' } }

test.each<[string, boolean, Files]>([
  ['of a registry', false, npm(playwright, browserTests)],
  [
    'of another package',
    true,
    npm({ ...playwright, ...registry('evil', { bin: { playwright: 'x.js' } }) }, browserTests),
  ],
  ['of the package itself', true, npm(playwright, { ...browserTests, bin: { playwright: 'x.js' } })],
  [
    'of a workspace',
    true,
    npm(
      { ...playwright, 'packages/a': {} },
      { ...browserTests, workspaces: ['packages/*'] },
      { 'packages/a/package.json': { name: 'playwright', bin: 'x.js' } },
    ),
  ],
])('an install of browsers by a program %s may read every file: %s', async (_, expected, files) => {
  expect(await readsTree(files)).toBe(expected)
})

test('a link, which can lead to every file, is not taken for missing settings', async () => {
  const files = npm({}, {}, { '.npmrc': 'script-shell=./evil.sh' })
  expect(await readsTree(files, {}, ['.npmrc'])).toBe(true)
})

test('an install in a folder may read every file, because managers also look above it', async () => {
  const inFolder = (files: Files) => Object.fromEntries(Object.entries(files).map(([path, one]) => [`a/${path}`, one]))
  const python: Files = { 'requirements.txt': 'pytest\n', 'test_a.py': 'def test_a(): pass' }
  for (const files of [npm({}), python, { 'go.mod': 'module a\n', 'a_test.go': '' }]) {
    expect(await readsTree(files)).toBe(false)
    expect(await readsTree(inFolder(files), { workingDirectory: 'a' })).toBe(true)
    expect(await readsTree(inFolder(files))).toBe(true)
  }
})

test('the install of a workspace at its root reads only the lockfile, also if only packages have tests', async () => {
  const workspace = { 'node_modules/a': { resolved: 'packages/a', link: true }, 'packages/a': {} }
  const [part] = await partsOf({
    ...npm(workspace, { workspaces: ['packages/*'], scripts: {} }),
    'packages/a/package.json': { name: 'a', scripts: { test: 'jest' } },
  })
  expect(part).toMatchObject({ directory: 'packages/a', install: { readsTree: false } })
})

const versioned: [string, Files][] = [
  ['npm', npm({})],
  ['pip', { 'requirements.txt': 'pytest\n', 'test_a.py': 'def test_a(): pass' }],
  ['Go', { 'go.mod': 'module a\n', 'a_test.go': '' }],
  ['Bundler', { Gemfile: 'source "https://rubygems.org"\ngem "rspec"\n', 'spec/a_spec.rb': '' }],
]

test.each(versioned)('files that choose the version of a program decide an install by %s', async (_, files) => {
  const plain = {
    '.python-version': '3.12.1\n# another\npypy3.10-7.3.12\n',
    '.nvmrc': 'lts/iron',
    '.node-version': 'v20.1',
    '.ruby-version': 'ruby-3.3.0',
    '.tool-versions': 'nodejs 20.1.0 system\npython 3.12.1\n',
  }
  const { install } = await partOf({ ...files, ...plain })
  expect(install?.lockfiles).toEqual(expect.arrayContaining(Object.keys(plain)))
  expect(install?.readsTree).toBe(false)
})

test.each([
  ['.tool-versions', 'python path:./tools/python\n'],
  ['.tool-versions', 'nodejs ref:main\n'],
  ['.tool-versions', `python {{exec(command='tools/version')}}\n`],
  ['.python-version', '../../work/tools\n'],
  ['.python-version', 'tools/python'],
  ['.rbenv-vars', 'RUBYOPT=-r./evil\n'],
  ['mise.toml', '[env]\n_.path = "tools"\n'],
  ['.mise.local.toml', '[tools]\n'],
  ['.config/mise/conf.d/a.toml', '[tools]\n'],
  ['.prototools', 'node = "20"\n'],
  ['.corepack.env', 'COREPACK_NPM_REGISTRY=https://example.com\n'],
  ['uv.toml', 'python-preference = "only-system"\n'],
])('an install may read every file with %s that says %j', async (path, content) => {
  for (const [, files] of versioned) expect(await readsTree({ ...files, [path]: content })).toBe(true)
})

const pytest = { 'test_a.py': 'def test_a(): pass' }

test.each<[string, boolean, Files]>([
  [
    'requirements of an index',
    false,
    {
      'requirements.txt':
        'pytest>=7 # runner\nrequests[socks]==2.0 ; python_version > "3.8"\n\n# more\n-r requirements-dev.txt\n--index-url https://pypi.example.com/simple\n',
      'requirements-dev.txt': 'flask~=2.0 --hash=sha256:abc \\\n  --hash=sha256:def\n',
    },
  ],
  [
    'the package itself',
    true,
    {
      'pyproject.toml':
        '[project]\nname = "a"\nversion = "1"\ndependencies = ["flask"]\n[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
    },
  ],
  ['setup.py', true, { 'setup.py': 'setup(install_requires=["flask"])' }],
  ['a package of a folder', true, { 'requirements.txt': 'flask\n-e ./libs/a\n' }],
  ['a package of a folder by its path', true, { 'requirements.txt': './libs/a\n' }],
  ['a file URL', true, { 'requirements.txt': 'a @ file:///work/libs/a\n' }],
  ['a package of git', true, { 'requirements.txt': 'git+https://example.com/a.git\n' }],
  ['a wheel of the repository', true, { 'requirements.txt': 'a-1.0-py3-none-any.whl\n' }],
  ['links to files', true, { 'requirements.txt': '--find-links wheels\na\n' }],
  ['requirements that decide nothing else', true, { 'requirements.txt': '-r more/other.txt\n' }],
  ['uv', true, { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\n', 'uv.lock': 'version = 1\n' }],
  [
    'Poetry',
    true,
    { 'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\nflask = "*"\n', 'poetry.lock': '' },
  ],
])('an install of Python with %s may read every file: %s', async (_, expected, files) => {
  expect(await readsTree({ ...files, ...pytest })).toBe(expected)
})

test('Python imports no module of the repository while it installs', async () => {
  const { install } = await partOf({ 'requirements.txt': 'pytest\n', ...pytest })
  const line = install?.argv.at(-1) ?? ''
  expect(line.match(/python3? -\S+/g)?.every((start) => start.endsWith('-I'))).toBe(true)
})

const phpunit = { 'tests/ATest.php': '', 'phpunit.xml': '' }
const locked = (...packages: object[]) => ({ packages, 'packages-dev': [] })

test.each<[string, boolean, Files]>([
  [
    'a lockfile',
    false,
    { 'composer.json': { require: { 'a/a': '1' } }, 'composer.lock': locked({ name: 'a/a', type: 'library' }) },
  ],
  ['no lockfile', true, { 'composer.json': { require: { 'a/a': '1' } } }],
  ['scripts', true, { 'composer.json': { scripts: { 'pre-install-cmd': 'x' } }, 'composer.lock': locked() }],
  ['a plugin', true, { 'composer.json': {}, 'composer.lock': locked({ name: 'a/a', type: 'composer-plugin' }) }],
  [
    'a package of a folder',
    true,
    { 'composer.json': {}, 'composer.lock': locked({ name: 'a/a', dist: { type: 'path', url: 'a' } }) },
  ],
  ...[
    { dist: { type: 'zip', url: 'libs/a.zip' } },
    { dist: { type: 'zip', url: 'https://example.com/a.zip', mirrors: [{ url: 'file:///work/%package%.zip' }] } },
    { source: { type: 'git', url: '/work/libs/a' } },
  ].map((place): [string, boolean, Files] => [
    `a package of ${JSON.stringify(place)}`,
    true,
    { 'composer.json': {}, 'composer.lock': locked({ name: 'a/a', ...place }) },
  ]),
  [
    'a package of a server',
    false,
    {
      'composer.json': {},
      'composer.lock': locked({
        name: 'a/a',
        dist: { type: 'zip', url: 'https://example.com/a.zip' },
        source: { type: 'git', url: 'https://example.com/a.git' },
      }),
    },
  ],
  [
    'a committed vendor folder',
    true,
    { 'composer.json': {}, 'composer.lock': locked(), 'vendor/composer/installed.json': '[]' },
  ],
  [
    'repositories',
    true,
    { 'composer.json': { repositories: [{ type: 'path', url: 'a' }] }, 'composer.lock': locked() },
  ],
])('an install of PHP with %s may read every file: %s', async (_, expected, files) => {
  expect(await readsTree({ ...files, ...phpunit })).toBe(expected)
})

test.each([
  'source "https://rubygems.org"\nruby "3.3.0"\n\n# tests\ngroup :test, :development do\n  gem "rspec", "~> 3.0", require: false # runner\nend\n',
  "gem 'rails', '>= 7', platforms: [:ruby, :mingw]\ngem('rake')\n",
])('a Gemfile of literals decides the install alone', (source) => {
  expect(isPlainGemfile(source)).toBe(true)
})

test.each([
  'gemspec',
  'gem "a", path: "libs/a"',
  'gem "a", git: "/work/a"',
  'gem system "evil.sh"',
  'gem "#{`evil.sh`}"',
  'gem `evil.sh`',
  'eval_gemfile "other"',
  'require_relative "lib/version"',
  'gem "a"; system "evil.sh"',
  'plugin "a"',
  'source "file:///work/gems"',
  'gem "a", File.read("version")',
  'if ENV["X"]',
  `gem "a", ${'"b", '.repeat(200)}`,
])('a Gemfile with %j is a program', (source) => {
  expect(isPlainGemfile(`source "https://rubygems.org"\n${source}\n`)).toBe(false)
})

const gems = 'GEM\n  remote: https://rubygems.org/\n  specs:\n    rspec (3.0)\n\nDEPENDENCIES\n  rspec\n'

test.each([
  ['gems of a server', false, gems],
  ['gems of a folder', true, `PATH\n  remote: libs/a\n  specs:\n    rspec (3.0)\n\n${gems}`],
  ['gems of git', true, `GIT\n  remote: /work/a\n\n${gems}`],
  ['gems of a folder of packages', true, gems.replace('https://rubygems.org/', 'file:///work/gems')],
])('an install of Ruby with %s in its lockfile may read every file: %s', async (_, expected, lockfile) => {
  const files = { Gemfile: 'source "https://rubygems.org"\ngem "rspec"\n', 'Gemfile.lock': lockfile }
  expect(await readsTree({ ...files, 'spec/a_spec.rb': '' })).toBe(expected)
})

test.each<[string, boolean, Files]>([
  ['Go', false, { 'go.mod': 'module a\n', 'a_test.go': '' }],
  ['Rust', true, { 'Cargo.toml': '[package]\nname = "a"\n', 'src/lib.rs': '' }],
  ['Maven', true, { 'pom.xml': '<project/>', 'src/test/java/ATest.java': '' }],
  ['Gradle', true, { 'build.gradle': '', 'src/test/java/ATest.java': '' }],
  [
    '.NET',
    true,
    {
      'a.csproj':
        '<Project><ItemGroup><PackageReference Include="xunit" /><PackageReference Include="Microsoft.NET.Test.Sdk" /></ItemGroup></Project>',
    },
  ],
])('an install of %s may read every file: %s', async (_, expected, files) => {
  expect(await readsTree(files)).toBe(expected)
})

test('the command of the owner may read every file', async () => {
  expect(await readsTree(npm({}), { installCommand: 'make deps' })).toBe(true)
})
