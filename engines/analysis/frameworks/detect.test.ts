import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../../source/testing/cpu-time.ts'
import { DetectedFramework } from '../schema.ts'
import { readManifests } from '../../manifests/read.ts'
import type { DetectedFrameworks, FrameworkInput } from './detect.ts'
import { detectFrameworks } from './detect.ts'

interface Repository extends Omit<FrameworkInput, 'manifests' | 'paths' | 'imports'> {
  manifests?: Record<string, string | object>
  paths?: string[]
  imports?: Record<string, number>
}

function detect({ manifests = {}, paths = [], imports, ...rest }: Repository): DetectedFrameworks {
  const files = Object.entries(manifests).map(([path, content]) => ({
    path,
    content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
  }))
  const all = [...files.map(({ path }) => path), ...paths]
  return detectFrameworks({
    manifests: readManifests(files, all).manifests,
    paths: all,
    ...(imports && { imports: new Map(Object.entries(imports)) }),
    ...rest,
  })
}

const short = (found: DetectedFramework[]) => found.map(({ name, confidence }) => `${name} ${confidence}`)

test.each<[string, Repository, string[]]>([
  [
    'a runtime dependency that is imported',
    { manifests: { 'package.json': { dependencies: { koa: '3' } } }, imports: { koa: 4 } },
    ['Koa 0.95'],
  ],
  ['a runtime dependency', { manifests: { 'package.json': { dependencies: { koa: '3' } } } }, ['Koa 0.85']],
  ['a peer dependency', { manifests: { 'package.json': { peerDependencies: { react: '>=18' } } } }, ['React 0.85']],
  ['a development dependency', { manifests: { 'package.json': { devDependencies: { koa: '3' } } } }, ['Koa 0.7']],
  ['a configuration file', { paths: ['web/next.config.mjs'] }, ['Next.js 0.5']],
  ['an import where no manifest is', { imports: { 'flask.views': 2 } }, ['Flask 0.6']],
  [
    'an import that no manifest declares',
    { manifests: { 'package.json': {} }, imports: { express: 2 } },
    ['Express 0.3'],
  ],
  ['the framework itself', { manifests: { 'package.json': { name: 'express' } } }, ['Express 1']],
  [
    'an example',
    { manifests: { 'examples/a/package.json': { dependencies: { next: '16' } } }, imports: { next: 9 } },
    ['Next.js 0.4'],
  ],
  ['a fixture named like a framework', { manifests: { 'test/fixtures/a/package.json': { name: 'express' } } }, []],
  [
    'a template',
    { manifests: { 'create/template-react/package.json': { dependencies: { react: '19' } } } },
    ['React 0.4'],
  ],
  ['nothing', { paths: ['a.ts'], imports: { './express': 3, left: 1 } }, []],
])('is as sure of a framework as %s allows', (_, repository, expected) => {
  expect(short(detect(repository).frameworks)).toEqual(expected)
})

test.each<[string, Repository, string[]]>([
  [
    'a development dependency, its place',
    { manifests: { 'package.json': { devDependencies: { vitest: '5' } } } },
    ['vitest 0.85'],
  ],
  [
    'a dependency, a configuration file and a script',
    {
      manifests: { 'package.json': { devDependencies: { vitest: '5' }, scripts: { test: 'vitest run' } } },
      paths: ['vitest.config.ts'],
    },
    ['vitest 0.95'],
  ],
  ['settings in a manifest', { manifests: { 'package.json': { jest: {} } } }, ['jest 0.5']],
  ['a script', { manifests: { 'package.json': { scripts: { test: 'npx mocha test/' } } } }, ['mocha 0.6']],
  [
    'a word in a script that is no command',
    { manifests: { 'package.json': { scripts: { test: 'runner --reporter tap' } } } },
    [],
  ],
  [
    'built into Node.js, by script',
    { manifests: { 'package.json': { scripts: { test: 'node --test' } } } },
    ['node:test 0.85'],
  ],
  ['built into Node.js, by imports', { imports: { 'node:test': 3 } }, ['node:test 0.85']],
  ['built into Python', { imports: { unittest: 3, 'unittest.mock': 9 } }, ['unittest 0.85']],
  [
    'imports that pytest’s users make as well',
    { imports: { unittest: 3 }, paths: ['pytest.ini'] },
    ['pytest 0.5', 'unittest 0.3'],
  ],
  ['mocks of unittest only', { imports: { 'unittest.mock': 9 } }, []],
  ['built into Go', { manifests: { 'go.mod': 'module a\n' }, paths: ['a_test.go', 'b/b_test.go'] }, ['go test 0.95']],
  ['built into cargo', { manifests: { 'Cargo.toml': '' }, paths: ['tests/api.rs'] }, ['cargo test 0.95']],
  ['inline in Rust', { manifests: { 'Cargo.toml': '' }, inlineTests: ['src/lib.rs'] }, ['cargo test 0.95']],
  ['without tests in Rust', { manifests: { 'Cargo.toml': '' }, paths: ['src/lib.rs'] }, []],
  ['an example', { manifests: { 'examples/a/package.json': { devDependencies: { jest: '30' } } } }, []],
  [
    'a package of its own for tests',
    { manifests: { 'e2e/package.json': { devDependencies: { '@playwright/test': '1' } } } },
    ['playwright 0.85'],
  ],
  ['how test files are named', { paths: ['tests/test_a.py'] }, ['pytest 0.3']],
])('knows a test framework by %s', (_, repository, expected) => {
  expect(short(detect(repository).testFrameworks)).toEqual(expected)
})

const pom = (...dependencies: string[]) =>
  `<project><dependencies>${dependencies
    .map((dependency) => {
      const [groupId, artifactId, scope = 'compile'] = dependency.split(':')
      return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><scope>${scope}</scope></dependency>`
    })
    .join('')}</dependencies></project>`
const project = (sdk: string, ...packages: string[]) =>
  `<Project Sdk="${sdk}"><ItemGroup>${packages.map((name) => `<PackageReference Include="${name}" Version="1"/>`).join('')}</ItemGroup></Project>`

test.each<[string, Repository, frameworks: string[], tests: string[]]>([
  [
    'TypeScript',
    {
      manifests: {
        'package.json': {
          dependencies: { '@nestjs/core': '11', typeorm: '1' },
          devDependencies: { jest: '30', supertest: '7' },
        },
      },
    },
    ['NestJS', 'TypeORM'],
    ['jest', 'supertest'],
  ],
  [
    'Python',
    {
      manifests: {
        'pyproject.toml':
          '[project]\nname="a"\ndependencies=["fastapi","SQLAlchemy"]\n[dependency-groups]\ntest=["pytest","hypothesis"]\n',
      },
    },
    ['FastAPI', 'SQLAlchemy'],
    ['hypothesis', 'pytest'],
  ],
  [
    'Go',
    {
      manifests: {
        'go.mod':
          'module a\nrequire (\n github.com/labstack/echo/v4 v4\n gorm.io/gorm v1\n github.com/stretchr/testify v1\n)\n',
      },
      paths: ['a_test.go'],
    },
    ['Echo', 'GORM'],
    ['go test', 'testify'],
  ],
  [
    'Java',
    {
      manifests: {
        'pom.xml': pom(
          'org.springframework.boot:spring-boot-starter-web',
          'org.springframework.boot:spring-boot-starter-test:test',
          'org.mockito:mockito-core:test',
        ),
      },
    },
    ['Spring Boot'],
    ['junit', 'mockito'],
  ],
  [
    'older Java',
    { manifests: { 'pom.xml': pom('org.hibernate:hibernate-core', 'junit:junit:test', 'org.testng:testng:test') } },
    ['Hibernate'],
    ['junit4', 'testng'],
  ],
  [
    'Kotlin',
    {
      manifests: {
        'build.gradle.kts':
          'dependencies {\n implementation("io.ktor:ktor-server-core:3")\n testImplementation("io.mockk:mockk:1")\n}\n',
      },
    },
    ['Ktor'],
    ['mockk'],
  ],
  [
    'Ruby',
    { manifests: { Gemfile: "gem 'rails'\ngroup :test do\n gem 'rspec-rails'\n gem 'capybara'\nend\n" } },
    ['Ruby on Rails'],
    ['capybara', 'rspec'],
  ],
  [
    'Rust',
    { manifests: { 'Cargo.toml': '[dependencies]\naxum="1"\ntokio="1"\n[dev-dependencies]\nproptest="1"\n' } },
    ['Axum', 'Tokio'],
    ['proptest'],
  ],
  [
    'PHP',
    {
      manifests: {
        'composer.json': {
          require: { 'laravel/framework': '^12' },
          'require-dev': { 'phpunit/phpunit': '^11', 'pestphp/pest': '^3' },
        },
      },
    },
    ['Laravel'],
    ['pest', 'phpunit'],
  ],
  [
    'C#',
    {
      manifests: {
        'src/A/A.csproj': project('Microsoft.NET.Sdk.Web', 'Dapper'),
        'test/A.Tests/A.Tests.csproj': project('Microsoft.NET.Sdk', 'Microsoft.NET.Test.Sdk', 'xunit.v3', 'Moq'),
      },
    },
    ['ASP.NET Core', 'Dapper'],
    ['moq', 'xunit'],
  ],
  [
    'Elixir',
    { manifests: { 'mix.exs': 'app: :a\n{:phoenix, "~> 1.8"}' }, paths: ['test/a_test.exs'] },
    ['Phoenix'],
    ['exunit'],
  ],
])('knows its way in %s', (_, repository, frameworks, tests) => {
  const found = detect(repository)
  expect(found.frameworks.map(({ name }) => name).toSorted()).toEqual(frameworks)
  expect(found.testFrameworks.map(({ name }) => name).toSorted()).toEqual(tests)
})

test('says by which signs it knows', () => {
  const found = detect({
    manifests: {
      'package.json': {
        name: 'shop',
        dependencies: { express: '5' },
        devDependencies: { vitest: '5' },
        scripts: { test: 'vitest' },
      },
      'examples/a/package.json': { dependencies: { express: '5' } },
    },
    paths: ['vitest.config.ts'],
    imports: { express: 12 },
  })
  expect(found.frameworks[0]?.evidence).toEqual([
    'dependency `express` in package.json',
    'imported by 12 files',
    'dependency `express` in examples/a/package.json',
  ])
  expect(found.testFrameworks[0]?.evidence).toEqual([
    'dev dependency `vitest` in package.json',
    'script `test` in package.json',
    'vitest.config.ts',
  ])
})

test('tells few of the many signs of a monorepo', () => {
  const manifests = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`packages/p${n}/package.json`, { dependencies: { react: '19' } }]),
  )
  const [react] = detect({ manifests }).frameworks
  expect(react).toMatchObject({ name: 'React', confidence: 0.85 })
  expect(react?.evidence).toHaveLength(5)
})

test('puts the surest first and does not depend on the order of its input', () => {
  const repository: Repository = {
    manifests: {
      'package.json': { name: 'vue', dependencies: { koa: '3', express: '5' }, devDependencies: { react: '19' } },
    },
    paths: ['a/nuxt.config.ts', 'b/astro.config.mjs'],
    imports: { express: 1, koa: 2 },
  }
  const found = detect(repository)
  expect(short(found.frameworks)).toEqual(['Vue 1', 'Express 0.95', 'Koa 0.95', 'React 0.7', 'Astro 0.5', 'Nuxt 0.5'])
  const reversed = detect({
    ...repository,
    paths: repository.paths?.toReversed() ?? [],
    imports: Object.fromEntries(Object.entries(repository.imports ?? {}).toReversed()),
  })
  expect(reversed).toEqual(found)
})

test('keeps build tools apart, and answers in the published shape', () => {
  const found = detect({
    manifests: { 'package.json': { devDependencies: { vite: '8' } } },
    paths: ['vite.config.ts', 'docs/conf.py'],
  })
  expect(found.frameworks).toEqual([])
  expect(short(found.buildTools)).toEqual(['Vite 0.95', 'Sphinx 0.5'])
  for (const framework of found.buildTools) expect(DetectedFramework.parse(framework)).toEqual(framework)
})

test('is not misled by names that belong to every object', () => {
  const found = detect({
    manifests: { 'package.json': '{"dependencies":{"constructor":"1","toString":"1"},"scripts":{"toString":"x"}}' },
    imports: { constructor: 1, __proto__: 2, 'hasOwnProperty.call': 1 },
  })
  expect(found).toEqual({ frameworks: [], testFrameworks: [], buildTools: [] })
})

test('stays fast on 100,000 paths and 20,000 imports', async () => {
  const paths = Array.from({ length: 100_000 }, (_, n) => `packages/p${n % 300}/src/folder${n % 97}/file${n}.ts`)
  const imports = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`org.example.package${n % 500}.Class${n}`, 1]),
  )
  expect(await cpuMilliseconds(() => detect({ paths, imports }))).toBeLessThan(2_000)
})
