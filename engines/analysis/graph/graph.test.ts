import { expect, test } from 'vitest'
import { isGraphManifest } from './configuration.ts'
import { buildGraph } from './graph.ts'
import { joinPath } from './paths.ts'
import { SourceTree } from './source-tree.ts'
import { linksOf, madeUpFile, repository } from './testing/repository.ts'

test('counts importers: not the tests, not those of types alone, each file once', async () => {
  const { files, manifests } = await repository({
    'src/core.ts': 'export function core() {}\nexport function more() {}\nexport interface Core {}',
    'src/a.ts': `import { core } from './core'\nimport { more } from './core'\ncore(); more()`,
    'src/b.ts': `import type { Core } from './core'\nexport const b: Core = {}`,
    'src/index.ts': `export * from './core'`,
    'src/core.test.ts': `import { core } from './core'\ntest('it', () => core())`,
  })
  const tree = new SourceTree(files, manifests)
  const { importers } = buildGraph(tree)
  expect(importers[tree.idOf('src/core.ts') ?? -1]?.map((id) => tree.pathOf(id))).toEqual(['src/a.ts', 'src/index.ts'])
})

test('files that import themselves or each other are no trouble', async () => {
  const repo = await repository({
    'src/a.ts': `import { b } from './b'\nimport { a as self } from './a'\nexport const a = () => b(self)`,
    'src/b.ts': `import { a } from './a'\nexport const b = () => a()`,
  })
  expect(linksOf(repo, 'src/a.ts')).toEqual(['src/b.ts: b'])
  expect(linksOf(repo, 'src/b.ts')).toEqual(['src/a.ts: a'])
})

test('never looks outside of the repository', async () => {
  const repo = await repository({
    'src/a.js': `
      import x from '/etc/passwd'
      import y from '../../../../etc/passwd'
      import z from 'file:///etc/passwd'
      import { p } from '../../src/passwd.js'
      require('..'); require('.'); require('')`,
    'etc/passwd': 'root',
    'src/passwd.js': 'exports.p = 1',
    'tsconfig.json': '{ "compilerOptions": { "baseUrl": "../..", "paths": { "*": ["../../../etc/*", "/etc/*"] } } }',
  })
  expect(linksOf(repo, 'src/a.js')).toEqual([])
  expect(joinPath('a/b', '../../../c')).toBeUndefined()
  expect(joinPath('a/b', '/c')).toBeUndefined()
  expect(joinPath('a/b', '../..')).toBe('')
})

test('names that objects inherit are names like others', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const repo = await repository({
    'main.ts': `import { constructor as a, toString as b, valueOf as c } from './names'
      import { __proto__ as d } from '__proto__'
      import { e } from 'constructor/prototype'
      a(); b(); c(); d(); e()`,
    'names.ts': names.map((name) => `function f_${name}() {}\nexport { f_${name} as ${name} }`).join('\n'),
    'packages/x/package.json': '{ "name": "__proto__", "main": "x.js", "__proto__": { "exports": "./y.js" } }',
    'packages/x/x.ts': 'const run = () => 1\nexport { run as __proto__ }',
    'packages/y/package.json':
      '{ "name": "constructor", "exports": { "./prototype": { "__proto__": "./e.ts", "default": "./e.ts" } } }',
    'packages/y/e.ts': 'export const e = () => 1',
    'tsconfig.json': '{ "compilerOptions": { "paths": { "__proto__": ["./nowhere"], "constructor": [] } } }',
  })
  expect(linksOf(repo, 'main.ts')).toEqual([
    'names.ts: f_constructor f_toString',
    'packages/x/x.ts: run',
    'packages/y/e.ts: e',
  ])
})

test('configurations that extend each other in a circle, or are no configurations, configure nothing', async () => {
  const repo = await repository({
    'tsconfig.json': '{ "extends": "./tsconfig.other.json", "references": [{ "path": "." }, 7] }',
    'tsconfig.other.json': '{ "extends": ["./tsconfig.json", "./tsconfig.other.json", "../../x.json", "missing/pkg"] }',
    'a/tsconfig.json': `{ "compilerOptions": { "paths": ${'['.repeat(50_000)}`,
    'b/tsconfig.json':
      '{ "compilerOptions": { "baseUrl": 5, "paths": { "x*y*": ["./q"], "z/*": "not a list", "v": [null, 1] } } }',
    'c/package.json': '[1, 2]',
    'd/package.json': '{ "name": 5, "exports": [[[null]], 1, { "import": { "import": false } }] }',
    'e/Cargo.toml': 'not = [toml',
    'f/composer.json': '{ "autoload": { "psr-4": ["x"] } }',
    'a/main.ts': `import { m } from './m'\nimport { q } from 'z/q'\nm(q)`,
    'a/m.ts': 'export function m() {}',
    'b/main.ts': `import { q } from 'xzy'\nimport { m } from 'z/m'\nq(m())`,
  })
  expect(linksOf(repo, 'a/main.ts')).toEqual(['a/m.ts: m'])
  expect(linksOf(repo, 'b/main.ts')).toEqual([])
})

test('asks for the manifests and configurations that resolution reads, wherever they lie', () => {
  const wanted = ['package.json', 'a/tsconfig.base.json', 'jsconfig.json', 'go.mod', 'x/Cargo.toml', 'composer.json']
  expect(wanted.filter(isGraphManifest)).toEqual(wanted)
  expect(['src/package.ts', 'tsconfig.md', 'mytsconfig.json', 'go.sum'].filter(isGraphManifest)).toEqual([])
})

test('a name that very many files declare is not taken for any of them', () => {
  const files = Array.from({ length: 50 }, (_, index) =>
    madeUpFile(`pkg/f${index}.go`, 'Go', { exports: [{ name: 'String' }], references: ['String', `Only${index + 1}`] }),
  )
  files.push(madeUpFile('pkg/last.go', 'Go', { exports: [{ name: 'Only1' }] }))
  expect(linksOf({ files, manifests: new Map() }, 'pkg/f0.go')).toEqual(['pkg/last.go: Only1'])
})
