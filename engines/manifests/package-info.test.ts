import { expect, test } from 'vitest'
import { PackageInfo } from './schema.ts'
import { packageInfo } from './package-info.ts'
import { readManifests } from './read.ts'

function infoOf(files: Record<string, string>, languages?: Record<string, number>) {
  const given = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }))
  return PackageInfo.parse(packageInfo(readManifests(given, Object.keys(files)).manifests, 'repository', languages))
}

test('is named after the repository when nothing else names it', () => {
  expect(infoOf({})).toEqual({ name: 'repository' })
  expect(infoOf({ 'package.json': '{}' }).name).toBe('repository')
})

test('describes the package at the root and lists the others after it', () => {
  const info = infoOf({
    'packages/a/package.json': '{"name":"@m/a","version":"0.1.0"}',
    'package.json': '{"name":"m","version":"2.0.0","scripts":{"test":"vitest"},"devDependencies":{"vitest":"^5"}}',
  })
  expect(info).toEqual({
    name: 'm',
    version: '2.0.0',
    manager: 'npm',
    scripts: { test: 'vitest' },
    dependencies: { vitest: '^5' },
    manifests: [
      { path: 'package.json', ecosystem: 'npm', name: 'm', version: '2.0.0', manager: 'npm' },
      { path: 'packages/a/package.json', ecosystem: 'npm', name: '@m/a', version: '0.1.0', manager: 'npm' },
    ],
  })
})

test('lets the language most files are in decide between several manifests of the root', () => {
  const files = {
    'package.json': '{"name":"assets","devDependencies":{"vite":"^8"}}',
    'composer.json': '{"name":"a/shop","require":{"laravel/framework":"^12"}}',
  }
  expect(infoOf(files, { PHP: 300, JavaScript: 4 })).toMatchObject({ name: 'a/shop', manager: 'composer' })
  expect(infoOf(files, { TypeScript: 300, PHP: 4 })).toMatchObject({ name: 'assets', manager: 'npm' })
  expect(infoOf(files, { PHP: 300 }).manifests?.map(({ path }) => path)).toEqual(['composer.json', 'package.json'])
})

test('puts the manifests of one package together', () => {
  const info = infoOf({
    'setup.cfg': '[metadata]\nname = thing\nversion = 3.1\n',
    'pyproject.toml': '[build-system]\nrequires = ["setuptools"]\n',
    'requirements.txt': 'flask==3\n',
  })
  expect(info).toMatchObject({ name: 'thing', version: '3.1', manager: 'pip' })
  expect(info.dependencies).toEqual({ flask: '==3', setuptools: '*' })
})

test('speaks for the one package below the root that the repository is named after', () => {
  const project = (name: string) =>
    `<Project><PropertyGroup><AssemblyName>${name}</AssemblyName></PropertyGroup></Project>`
  expect(infoOf({ 'src/A/A.csproj': project('Other'), 'src/R/R.csproj': project('Repository') })).toMatchObject({
    name: 'Repository',
    manager: 'nuget',
  })
})

test('does not let one of many packages below the root speak for the repository', () => {
  const info = infoOf({ 'a/package.json': '{"name":"a","version":"1.0.0"}', 'b/go.mod': 'module b\n' })
  expect(info).toMatchObject({ name: 'repository', manager: 'npm' })
  expect(info.version).toBeUndefined()
  expect(info.manifests).toHaveLength(2)
})

test('prefers the range something runs with over the one it is developed with', () => {
  const info = infoOf({ 'package.json': '{"devDependencies":{"koa":"^3"},"peerDependencies":{"koa":">=2"}}' })
  expect(info.dependencies).toEqual({ koa: '>=2' })
})
