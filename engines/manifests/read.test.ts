import { expect, test } from 'vitest'
import type { Manifest } from './manifest.ts'
import { isManifestPath, readManifests } from './read.ts'

function read(files: Record<string, string>, otherPaths: string[] = []): Manifest[] {
  const given = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }))
  const { manifests, notes } = readManifests(given, [...Object.keys(files), ...otherPaths])
  expect(notes).toEqual([])
  return manifests
}

/** `kind name@version` of each dependency. */
function dependencies(files: Record<string, string>): string[] {
  return read(files).flatMap((manifest) => manifest.dependencies.map((d) => `${d.kind} ${d.name}@${d.version}`))
}

test('reads package.json with its scripts, workspaces and settings', () => {
  const [manifest] = read({
    'package.json': JSON.stringify({
      name: '@a/b',
      version: '1.2.3',
      packageManager: 'pnpm@9.1.0+sha512.abc',
      scripts: { test: 'vitest run', build: 'tsc' },
      workspaces: { packages: ['packages/*'] },
      dependencies: { koa: '^3.0.0' },
      optionalDependencies: { fsevents: '*' },
      peerDependencies: { react: '>=18' },
      devDependencies: { vitest: '5.1.0' },
      jest: {},
    }),
  })
  expect(manifest).toEqual({
    path: 'package.json',
    ecosystem: 'npm',
    name: '@a/b',
    version: '1.2.3',
    manager: 'pnpm',
    scripts: { test: 'vitest run', build: 'tsc' },
    workspaces: ['packages/*'],
    settings: ['jest'],
    dependencies: [
      { name: 'koa', version: '^3.0.0', kind: 'runtime' },
      { name: 'fsevents', version: '*', kind: 'runtime' },
      { name: 'react', version: '>=18', kind: 'peer' },
      { name: 'vitest', version: '5.1.0', kind: 'dev' },
    ],
  })
})

test('fills in ranges of a pnpm catalog', () => {
  const files = {
    'pnpm-workspace.yaml': 'packages: ["packages/*"]\ncatalog:\n  react: ^19.0.0\n',
    'packages/a/package.json': '{"dependencies":{"react":"catalog:"}}',
  }
  expect(dependencies(files)).toEqual(['runtime react@^19.0.0'])
})

test('reads deno.jsonc with comments and trailing commas', () => {
  const [manifest] = read({
    'deno.jsonc': `{
      // tasks
      "tasks": { "test": "deno test // not a comment", "dev": { "command": "deno run a.ts" }, },
      "imports": { "hono": "jsr:@hono/hono@^4.5", "x": "npm:express@5", "y": "./y.ts" } /* end */
    }`,
  })
  expect(manifest?.scripts).toEqual({ test: 'deno test // not a comment', dev: 'deno run a.ts' })
  expect(manifest?.dependencies.map(({ name, version }) => [name, version])).toEqual([
    ['@hono/hono', '^4.5'],
    ['express', '5'],
  ])
  expect(manifest?.manager).toBe('deno')
})

test('reads pyproject.toml of PEP 621, dependency groups, Poetry and uv', () => {
  const standard = `
    [project]
    name = "App"
    version = "1.0"
    dependencies = ["Flask[async] >=3,<4 ; python_version > '3.9'", "Some_Thing.X", "lib @ https://x/y.whl"]
    [project.optional-dependencies]
    tests = ["pytest"]
    [dependency-groups]
    dev = ["ruff==0.5", {include-group = "tests"}]
    [build-system]
    requires = ["hatchling"]
    [tool.uv]
    dev-dependencies = ["mypy"]
    [tool.pytest.ini_options]
    addopts = "-q"
  `
  expect(dependencies({ 'pyproject.toml': standard })).toEqual([
    'runtime flask@>=3,<4',
    'runtime some-thing-x@',
    'runtime lib@@ https://x/y.whl',
    'test pytest@',
    'dev ruff@==0.5',
    'dev mypy@',
    'build hatchling@',
  ])
  expect(read({ 'pyproject.toml': standard })[0]).toMatchObject({
    name: 'App',
    manager: 'uv',
    settings: ['tool.uv', 'tool.pytest'],
  })

  const poetry = `
    [tool.poetry]
    name = "p"
    version = "2"
    [tool.poetry.dependencies]
    python = "^3.11"
    Django = { version = "^5.0", extras = ["x"] }
    [tool.poetry.group.test.dependencies]
    pytest = "^8"
  `
  expect(dependencies({ 'pyproject.toml': poetry })).toEqual(['runtime django@^5.0', 'test pytest@^8'])
  expect(read({ 'pyproject.toml': poetry })[0]).toMatchObject({ name: 'p', version: '2', manager: 'poetry' })
})

test('reads requirements files by what they are named for', () => {
  const files = {
    'requirements.txt':
      '# web\n-r base.txt\nflask==3.0  # comment\n--hash=x\ngit+https://x/y\nrequests>=2 --hash=sha256:1\n',
    'requirements-dev.txt': 'black\n',
    'requirements/tests.in': 'pytest\n',
  }
  expect(dependencies(files)).toEqual(['dev black@', 'runtime flask@==3.0', 'runtime requests@>=2', 'test pytest@'])
})

test('reads setup.cfg, setup.py, Pipfile and tox.ini', () => {
  expect(
    dependencies({
      'setup.cfg':
        '[metadata]\nname = a\n[options]\ninstall_requires =\n    flask>=2\n    click\n[options.extras_require]\ntest =\n  pytest\n',
    }),
  ).toEqual(['runtime flask@>=2', 'runtime click@', 'test pytest@'])
  const [setup] = read({
    'setup.py':
      "# name='wrong'\nsetup(name='a', version=\"1.0\", install_requires=['x>1', \"y\"], tests_require=['pytest'])",
  })
  expect(setup).toMatchObject({ name: 'a', version: '1.0', manager: 'pip' })
  expect(setup?.dependencies.map(({ name }) => name)).toEqual(['x', 'y', 'pytest'])
  expect(dependencies({ Pipfile: '[packages]\nFlask = "*"\n[dev-packages]\npytest = {version = ">=8"}\n' })).toEqual([
    'runtime flask@*',
    'dev pytest@>=8',
  ])
  const [tox] = read({
    'tox.ini': '[tox]\nenvlist = py\n[testenv]\ndeps =\n    pytest>=7\n    py311: hypothesis\n[pytest]\n',
  })
  expect(tox?.dependencies.map(({ name }) => name)).toEqual(['pytest', 'hypothesis'])
  expect(tox?.settings).toEqual(['tox', 'pytest'])
})

test('reads go.mod without what others asked for', () => {
  const source = `module github.com/a/b // comment

go 1.24
require github.com/spf13/cobra v1.8.0
require (
  github.com/stretchr/testify v1.9.0
  golang.org/x/sys v0.1.0 // indirect
)
replace x => ../x
`
  expect(dependencies({ 'go.mod': source })).toEqual([
    'runtime github.com/spf13/cobra@v1.8.0',
    'runtime github.com/stretchr/testify@v1.9.0',
  ])
  expect(read({ 'go.mod': source })[0]?.name).toBe('github.com/a/b')
  expect(read({ 'go.work': 'go 1.24\nuse (\n ./a\n ./b\n)\n' })[0]?.workspaces).toEqual(['./a', './b'])
})

test('reads Cargo.toml and the versions its workspace sets', () => {
  const files = {
    'Cargo.toml': '[workspace]\nmembers = ["a"]\n[workspace.dependencies]\ntokio = { version = "1.40" }\n',
    'a/Cargo.toml':
      '[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\ntokio = { workspace = true }\nweb = { package = "axum", version = "0.8" }\n' +
      '[dev-dependencies]\nproptest = "1"\n[target."cfg(unix)".dependencies]\nlibc = "0.2"\n',
  }
  expect(dependencies(files)).toEqual(['runtime tokio@1.40', 'runtime axum@0.8', 'dev proptest@1', 'runtime libc@0.2'])
})

test('reads pom.xml with scopes, properties, parent and modules', () => {
  const pom = `<?xml version="1.0"?>
    <project xmlns="http://maven.apache.org/POM/4.0.0">
      <parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>4.0.0</version></parent>
      <artifactId>shop</artifactId>
      <properties><junit.version>5.11</junit.version></properties>
      <modules><module>core</module></modules>
      <dependencyManagement><dependencies><dependency><groupId>not</groupId><artifactId>used</artifactId></dependency></dependencies></dependencyManagement>
      <dependencies>
        <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-web</artifactId></dependency>
        <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>\${junit.version}</version><scope>test</scope></dependency>
        <dependency><groupId>x</groupId></dependency>
      </dependencies>
      <build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId></plugin></plugins></build>
    </project>`
  expect(dependencies({ 'pom.xml': pom })).toEqual([
    'runtime org.springframework.boot:spring-boot-starter-web@',
    'test org.junit.jupiter:junit-jupiter@5.11',
    'build org.springframework.boot:spring-boot-starter-parent@4.0.0',
    'build org.apache.maven.plugins:maven-surefire-plugin@',
  ])
  expect(read({ 'pom.xml': pom })[0]).toMatchObject({ name: 'shop', version: '4.0.0', workspaces: ['core'] })
})

test('reads build.gradle and build.gradle.kts, with a version catalog', () => {
  const files = {
    'build.gradle': `
      plugins { id 'org.springframework.boot' version '3.4.0' }
      version = '1.0'
      dependencies {
        // implementation 'no:no:1'
        implementation 'a:b:1.0'
        api group: 'c', name: 'd', version: '2'
        implementation project(':core')
        testImplementation platform('org.junit:junit-bom:5.11')
        annotationProcessor "e:f"
      }
      test { useJUnitPlatform() }`,
    'app/build.gradle.kts': `
      plugins { kotlin("jvm"); alias(libs.plugins.ktor) }
      kotlin { sourceSets { val commonTest by getting { dependencies { implementation(kotlin("test")) } } } }
      dependencies {
        implementation(libs.ktor.server.core)
        testImplementation(libs.nobody.knows)
      }`,
    'gradle/libs.versions.toml': `
      [versions]
      ktor = "3.0"
      [libraries]
      ktor-server-core = { module = "io.ktor:ktor-server-core", version.ref = "ktor" }
      [plugins]
      ktor = { id = "io.ktor.plugin", version.ref = "ktor" }`,
  }
  expect(dependencies(files)).toEqual([
    'build org.springframework.boot@3.4.0',
    'runtime a:b@1.0',
    'runtime c:d@2',
    'test org.junit:junit-bom@5.11',
    'build e:f@',
    'build org.jetbrains.kotlin.jvm@',
    'build io.ktor.plugin@3.0',
    'test org.jetbrains.kotlin:kotlin-test@',
    'runtime io.ktor:ktor-server-core@3.0',
  ])
  expect(read(files)[0]).toMatchObject({ manager: 'gradle', version: '1.0', settings: ['useJUnitPlatform'] })
})

test('reads Gemfile groups, gemspecs and what Gemfile.lock resolved', () => {
  const files = {
    Gemfile: `
      source 'https://rubygems.org'
      gem 'rails', '~> 8.0', '>= 8.0.1'
      gem "debug", group: :development
      group :development, :test do
        gem 'rspec-rails'
      end
      # gem 'none'
      gem 'puma'`,
    'Gemfile.lock': 'GEM\n  remote: x\n  specs:\n    puma (6.4.0)\n      nio4r (~> 2.0)\n    rails (8.0.1)\n',
  }
  expect(dependencies(files)).toEqual([
    'runtime rails@~> 8.0, >= 8.0.1',
    'dev debug@',
    'test rspec-rails@',
    'runtime puma@6.4.0',
  ])
  const [gemspec] = read({
    'a.gemspec': `Gem::Specification.new 'a', '1.0' do |s|
      s.add_dependency 'rack', '>= 3'
      s.add_development_dependency "minitest"
    end`,
  })
  expect(gemspec).toMatchObject({ name: 'a', manager: 'bundler' })
  expect(gemspec?.dependencies.map(({ name, kind }) => `${kind} ${name}`)).toEqual(['runtime rack', 'dev minitest'])
})

test('reads composer.json without the platform', () => {
  const source = JSON.stringify({
    name: 'a/b',
    require: { php: '^8.2', 'ext-json': '*', 'laravel/framework': '^12.0' },
    'require-dev': { 'phpunit/phpunit': '^11' },
    scripts: { test: ['@php artisan config:clear', 'phpunit'] },
  })
  expect(dependencies({ 'composer.json': source })).toEqual([
    'runtime laravel/framework@^12.0',
    'dev phpunit/phpunit@^11',
  ])
  expect(read({ 'composer.json': source })[0]?.scripts).toEqual({ test: '@php artisan config:clear && phpunit' })
})

test('reads project files with central versions', () => {
  const files = {
    'Directory.Packages.props':
      '<Project><ItemGroup><PackageVersion Include="xunit" Version="2.9.2"/></ItemGroup></Project>',
    'src/App/App.csproj':
      '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><Version>$(V)</Version></PropertyGroup><ItemGroup><PackageReference Include="Dapper" Version="2.1"/></ItemGroup></Project>',
    'test/App.Tests/App.Tests.csproj':
      '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk"><Version>17.0</Version></PackageReference><PackageReference Include="xunit"/></ItemGroup></Project>',
  }
  expect(dependencies(files)).toEqual([
    'runtime Dapper@2.1',
    'build Microsoft.NET.Sdk.Web@',
    'test Microsoft.NET.Test.Sdk@17.0',
    'test xunit@2.9.2',
    'build Microsoft.NET.Sdk@',
  ])
  expect(read(files)[0]).toMatchObject({ name: 'App', manager: 'nuget' })
  expect(read(files)[0]?.version).toBeUndefined()
})

test('reads mix.exs', () => {
  const source = `
    def project, do: [app: :shop, version: "0.1.0"]
    defp deps, do: [
      {:phoenix, "~> 1.8"},
      {:credo, "~> 1.7", only: [:dev, :test]},
      {:mox, "~> 1.0", only: :test},
    ]`
  expect(dependencies({ 'mix.exs': source })).toEqual(['runtime phoenix@~> 1.8', 'dev credo@~> 1.7', 'test mox@~> 1.0'])
  expect(read({ 'mix.exs': source })[0]).toMatchObject({ name: 'shop', version: '0.1.0', manager: 'mix' })
})

test.each([
  [{ 'package.json': '{}' }, ['yarn.lock'], 'yarn'],
  [{ 'package.json': '{}' }, ['bun.lockb'], 'bun'],
  [{ 'package.json': '{}' }, [], 'npm'],
  [{ 'a/b/package.json': '{}' }, ['pnpm-lock.yaml'], 'pnpm'],
  [{ 'a/package.json': '{"packageManager":"yarn@4.0.0"}' }, ['a/package-lock.json'], 'yarn'],
  [{ 'a/package.json': '{}' }, ['b/yarn.lock'], 'npm'],
  [{ 'pyproject.toml': '[project]\nname="a"' }, ['uv.lock'], 'uv'],
  [{ 'requirements.txt': 'a' }, ['poetry.lock'], 'poetry'],
  [{ 'pyproject.toml': '[tool.poetry]\nname="a"' }, [], 'poetry'],
])('names who installs %j beside %j', (files, others, manager) => {
  expect(read(files, others)[0]?.manager).toBe(manager)
})

test('lists the root first, then by folder, the more telling format before the other', () => {
  const files = {
    'b/package.json': '{}',
    'requirements.txt': 'a',
    'a/package.json': '{}',
    'pyproject.toml': '',
    'package.json': '{}',
  }
  expect(read(files).map(({ path }) => path)).toEqual([
    'package.json',
    'pyproject.toml',
    'requirements.txt',
    'a/package.json',
    'b/package.json',
  ])
})

test('wants manifests of the project, not of what it vendors', () => {
  expect(isManifestPath('packages/a/package.json')).toBe(true)
  expect(isManifestPath('gradle/libs.versions.toml')).toBe(true)
  expect(isManifestPath('node_modules/a/package.json')).toBe(false)
  expect(isManifestPath('vendor/a/composer.json')).toBe(false)
  expect(isManifestPath('package.json.bak')).toBe(false)
})
