import { afterAll, beforeAll, expect, test } from 'vitest'
import { ParsePool } from '../../parsing/pool.ts'
import { createGitRepository, type Files } from '../../source/testing/git-repository.ts'
import { openWorkingTree } from '../../source/working-tree.ts'
import { analyze } from '../analyze.ts'
import { AnalysisResult } from '../schema.ts'
import { defaultLimits } from '../types.ts'

let pool: ParsePool
beforeAll(() => {
  pool = new ParsePool({ size: 1, timeoutMs: 10_000 })
})
afterAll(() => pool[Symbol.asyncDispose]())

async function analyzed(files: Files): Promise<AnalysisResult> {
  const { signal } = new AbortController()
  await using repository = await createGitRepository(files)
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  return AnalysisResult.parse(await analyze(snapshot, { signal, pool }))
}

/** `kind path:line name` of each finding. */
async function findingsOf(files: Files): Promise<string[]> {
  const { findings = [] } = await analyzed(files)
  return findings.map(({ kind, path, line, name }) => `${kind} ${path}:${line} ${name}`)
}

const json = (value: object) => JSON.stringify(value)
const shop = { name: 'shop', type: 'module', exports: './src/index.js', dependencies: { koa: '3' } }
const entry = "export { price } from './price.js'\n"
const price = 'export function price(a) {\n  if (a > 1) return 2\n  return 1\n}\n'

test('names an import that no manifest declares, also in a file that nothing imports', async () => {
  const { findings } = await analyzed({
    'package.json': json(shop),
    'src/index.js': entry,
    'src/price.js': `import Koa from 'koa'\nimport {\n  one,\n} from 'left-pad/one'\n${price}price(new Koa(one))\n`,
    'src/format.js': "import { sprintf } from 'printj'\nexport const format = (a) => sprintf(a)\n",
    'src/load.cjs': "const pad = require('pad')\nmodule.exports = pad\n",
  })
  expect(findings).toEqual([
    {
      kind: 'undeclared_import',
      path: 'src/format.js',
      line: 1,
      name: 'printj',
      message: 'No manifest declares printj. Nothing imports this file.',
    },
    expect.objectContaining({ path: 'src/load.cjs', line: 1, name: 'pad' }),
    {
      kind: 'undeclared_import',
      path: 'src/price.js',
      line: 4,
      name: 'left-pad',
      message: 'No manifest declares left-pad.',
    },
  ])
})

test('says nothing of imports that something else may provide', async () => {
  expect(
    await findingsOf({
      'package.json': json({
        ...shop,
        imports: { '#own': './src/own.js' },
        devDependencies: { vite: '6', '@types/estree': '1' },
        peerDependencies: { react: '19' },
        optionalDependencies: { fsevents: '2' },
      }),
      'tsconfig.json': json({ compilerOptions: { paths: { '@shop/*': ['./src/*'], lib: ['./src/generated.ts'] } } }),
      'vite.config.js': 'export default { resolve: { alias: { "@acme/ui": "/x" } } }\n',
      'packages/ui/package.json': json({ name: 'ui', dependencies: { lodash: '4' } }),
      'src/index.ts': [
        "import fs from 'fs'",
        "import path from 'node:path'",
        "import 'virtual:icons'",
        "import own from '#own'",
        "import shop from 'shop'",
        "import missing from '@shop/missing'",
        "import lib from 'lib'",
        "import ui from '@acme/ui'",
        "import button from 'components/button'",
        "import react from 'react'",
        "import type { Node } from 'estree-walker'",
        "import { Program } from 'estree'",
        "import events from 'fsevents'",
        "import lodash from 'lodash'",
        "import ui2 from 'ui/button.js'",
        "import x from '@/x'",
        "import y from '~icons/y'",
        "import vscode from 'vscode'",
        "import http from 'https://example.org/x.js'",
        "const worker = new URL('worker.js', import.meta.url)",
        "export const load = () => import('optional-one')",
        "let found; try { found = require('optional-two') } catch {}",
        "export function maybe() {\n  return require('optional-three')\n}",
        '',
      ].join('\n'),
      'src/components/button.ts': 'export const button = 1\n',
      'src/index.test.ts': "import only from 'test-only'\n",
      'examples/a.js': "import only from 'example-only'\n",
      'scripts/build.js': "import only from 'script-only'\n",
      'template/src/main.ts': "import only from 'template-only'\n",
      'vendor/x.js': "import only from 'vendored-only'\n",
    }),
  ).toEqual([])
  expect(await findingsOf({ 'src/a.js': "import x from 'no-manifest-at-all'\n" })).toEqual([])
  expect(
    await findingsOf({ 'package.json': json(shop), 'deno.json': '{}', 'src/a.js': "import x from 'mapped'\n" }),
  ).toEqual([])
})

test('says nothing of modules that the host of the code provides', async () => {
  const source = [
    "import { NavigationMixin } from 'lightning/navigation'",
    "import list from '@salesforce/apex/Shop.list'",
    "import { LightningElement } from 'lwc'",
    "import { Meteor } from 'meteor/meteor'",
    "import Layout from '@theme/Layout'",
    "import Link from '@docusaurus/Link'",
    '',
  ]
  const files = { 'package.json': json(shop), 'src/index.js': source.join('\n') }
  expect(await findingsOf({ ...files, 'docusaurus.config.ts': 'export default {}\n' })).toEqual([])
  expect(await findingsOf({ ...files, 'sfdx-project.json': '{}' })).toEqual([])
  expect(await findingsOf({ ...files, '.meteor/release': 'METEOR@3' })).toEqual([])
  expect(
    await findingsOf({
      'pyproject.toml': '[project]\nname = "shop"\ndependencies = ["matplotlib"]\n',
      'shop/a.py': 'import bpy\nimport gi\nimport gdb\nimport hou\nimport maya.cmds\nimport pylab\nimport matplotlib\n',
    }),
  ).toEqual([])
})

test('names Python modules that no package declares, if all packages are accounted for', async () => {
  const project = (dependencies: string[], more = '') =>
    `[project]\nname = "shop"\ndependencies = ${JSON.stringify(dependencies)}\n${more}`
  const files = {
    'shop/__init__.py': '',
    'shop/a.py': [
      'import os, json',
      'import yaml',
      'from requests import get',
      'import simplejson',
      'from .b import x',
      'import shop.b',
      'try:',
      '    import ujson',
      'except ImportError:',
      '    ujson = None',
      '',
    ].join('\n'),
    'shop/b.py': 'x = 1\n',
    'tests/test_a.py': 'import only_tests\n',
  }
  const accounted = project(['PyYAML>=6', 'requests'])
  expect(await findingsOf({ ...files, 'pyproject.toml': accounted })).toEqual([
    'undeclared_import shop/a.py:4 simplejson',
  ])
  // A package of another name may have the module.
  expect(await findingsOf({ ...files, 'pyproject.toml': project(['PyYAML', 'requests', 'acme']) })).toEqual([])
  expect(
    await findingsOf({ ...files, 'pyproject.toml': `[project]\nname = "shop"\ndynamic = ["dependencies"]\n` }),
  ).toEqual([])
  expect(await findingsOf({ ...files, 'pyproject.toml': accounted, 'environment.yml': 'dependencies: []\n' })).toEqual(
    [],
  )
  expect(await findingsOf({ ...files, 'setup.py': 'from setuptools import setup\nsetup()\n' })).toEqual([])
})

const helpers = [
  price,
  'export function used() { return 1 }',
  'export function dead() { return 2 }',
  'export class Dead {}',
  'export function tested() { return 3 }',
  'export const constant = 4',
  '',
].join('\n')

test('names functions and classes that nothing imports and no entry point reaches', async () => {
  const files = {
    'package.json': json(shop),
    'src/index.js': `${entry}export { used as shown } from './helpers.js'\n`,
    'src/price.js': `import { used } from './helpers.js'\n${price}price(used())\n`,
    'src/helpers.js': helpers.replace('price', 'cost'),
    'src/helpers.test.js': "import { tested } from './helpers.js'\ntested()\n",
  }
  const { findings } = await analyzed(files)
  expect(findings).toMatchObject([
    { kind: 'dead_export', path: 'src/helpers.js', line: 1, name: 'cost' },
    {
      kind: 'dead_export',
      path: 'src/helpers.js',
      line: 7,
      name: 'dead',
      message:
        'dead is exported, but nothing in the repository imports it and no entry point of the package reaches it.',
    },
    { kind: 'dead_export', path: 'src/helpers.js', line: 8, name: 'Dead' },
  ])
  const nothing = async (changes: Files) => expect(await findingsOf({ ...files, ...changes })).toEqual([])
  // Users can import any file.
  await nothing({ 'package.json': json({ name: 'shop', main: './src/index.js' }) })
  await nothing({ 'package.json': json({ ...shop, exports: { '.': './src/index.js', './*': './src/*.js' } }) })
  // An entry point that is not there may come from any source.
  await nothing({ 'package.json': json({ ...shop, exports: { '.': './src/index.js', './x': './dist/x.js' } }) })
  await nothing({ 'src/index.js': "export * from './helpers.js'\n" })
  await nothing({ 'src/all.js': "import * as all from './helpers.js'\nexport const names = Object.keys(all)\n" })
  await nothing({ 'src/all.js': "export const load = () => import('./helpers.js')\n" })
  await nothing({ 'src/all.cjs': "const all = require('./helpers.js')\n" })
  await nothing({ 'src/all.js': 'const any = (name) => import(`./${name}.js`)\nexport { any }\n' })
  await nothing({ 'src/page.mdx': "import { dead, Dead, cost } from './helpers.js'\n" })
  await nothing({ 'src/broken.js': 'import { dead\n' })
})

test('a type that names an export is a use of it', async () => {
  const files = {
    'package.json': json({ ...shop, exports: './src/index.ts' }),
    'src/index.ts': "export { used } from './helpers.ts'\nimport { used } from './helpers.ts'\nused()\n",
    'src/helpers.ts': 'export function used() {}\nexport class Dead {}\n',
  }
  expect(await findingsOf(files)).toEqual(['dead_export src/helpers.ts:2 Dead'])
  const uses = [
    "export type Alive = import('./helpers.ts').Dead\n",
    "export type Alive = typeof import('./helpers.ts')\n",
    "/** @param {import('./helpers.ts').Dead} a */\nexport const f = (a) => a\n",
  ]
  for (const use of uses) expect(await findingsOf({ ...files, 'src/types.ts': use })).toEqual([])
})

test.each([
  ['index.html', '<script type="module">import { dead } from "./src/helpers.js"</script>'],
  ['views/page.ejs', '<script>const { dead } = await import("../src/helpers.js")</script>'],
  ['bin/run.sh', `node -e "import('./src/helpers.js').then(({ dead }) => dead())"`],
  ['.github/workflows/ci.yml', `run: node -e "import('./src/helpers.js').then(({ dead }) => dead())"`],
  ['Makefile', `test:\n\tnode -e "import('./src/helpers.js').then(({ dead }) => dead())"`],
  ['tools/package.json', json({ scripts: { dead: `node -e "import('../src/helpers.js')"` } })],
])('a file that %s names is not judged', async (path, content) => {
  const files = {
    'package.json': json(shop),
    'src/index.js': "export { used } from './helpers.js'\nimport { used } from './helpers.js'\nused()\n",
    'src/helpers.js': 'export function used() {}\nexport function dead() {}\n',
    'page.html': '<p>dead helpers</p>',
  }
  expect(await findingsOf(files)).toEqual(['dead_export src/helpers.js:2 dead'])
  expect(await findingsOf({ ...files, [path]: content })).toEqual([])
})

test('judges no file that something may load by its place', async () => {
  expect(
    await findingsOf({
      'package.json': json({ name: 'app', private: true }),
      'src/main.ts': "import { used } from './used.ts'\nimport { Page } from './pages/page.tsx'\nused(Page)\n",
      'src/used.ts':
        'export function used(a) { return a }\nexport function dead() {}\nexport function loader() {}\nexport default function other() {}\n',
      'src/pages/page.tsx': 'export function Page() { return 1 }\nexport function anything() {}\n',
      'src/alone.ts': 'export function alone() {}\n',
    }),
  ).toEqual(['dead_export src/used.ts:2 dead'])
})

test('names parameters that are never read', async () => {
  const branches = 'if (a) return 1\n  return 2'
  const { findings } = await analyzed({
    'package.json': json({ name: 'shop', private: true }),
    'src/a.ts': [
      `export function one(a: boolean, gone: string, last = 2) {\n  ${branches}\n}`,
      `export const two = (a: boolean, gone?: number) => {\n  ${branches}\n}`,
      `export class Cart {\n  add(a: boolean, gone: number) {\n  ${branches}\n  }\n}`,
      '',
    ].join('\n'),
    'shop.py':
      'def _cost(a, gone=None):\n    if a:\n        return 1\n    return 2\n\n\ndef cost(a):\n    if a:\n        return _cost(a)\n    return 3\n',
  })
  expect(findings).toMatchObject([
    { path: 'shop.py', line: 1, name: 'gone', message: '_cost never reads its parameter gone.' },
    { path: 'src/a.ts', line: 1, name: 'gone', message: 'one never reads its parameter gone.' },
    { path: 'src/a.ts', line: 1, name: 'last' },
    { path: 'src/a.ts', line: 5, name: 'gone', message: 'two never reads its parameter gone.' },
    { path: 'src/a.ts', line: 10, name: 'gone', message: 'Cart.add never reads its parameter gone.' },
  ])
  expect(findings?.every(({ kind }) => kind === 'unread_parameter')).toBe(true)
})

test('says nothing of parameters that are asked for or may be read', async () => {
  const branches = 'if (a) return 1\n  return 2'
  expect(
    await findingsOf({
      'package.json': json({ name: 'shop', private: true }),
      'src/a.ts': [
        `export function position(first: boolean, a: boolean) {\n  ${branches}\n}`,
        `export function underscore(a: boolean, _gone: string) {\n  ${branches}\n}`,
        `export function all(a: boolean, gone: string) {\n  if (a) return arguments\n  return 2\n}`,
        `export function evaluated(a: boolean, gone: string) {\n  if (a) return eval('1')\n  return 2\n}`,
        `export function commented(a: boolean, gone: string) {\n  // gone is for later\n  ${branches}\n}`,
        `export function destructured(a: boolean, { gone }: { gone: string }) {\n  ${branches}\n}`,
        `export function rest(a: boolean, ...gone: string[]) {\n  ${branches}\n}`,
        `export function inDefault(a: boolean, gone: string, c = gone) {\n  if (c) return 3\n  ${branches}\n}`,
        `export function closure(a: boolean, gone: string) {\n  if (a) return () => gone\n  return 2\n}`,
        `export function errors(err: Error, a: boolean, res: string, next: () => void) {\n  ${branches}\n}`,
        `export class Base extends Other {\n  add(a: boolean, gone: number) {\n  ${branches}\n  }\n}`,
        `export class Shape implements Shaped {\n  add(a: boolean, gone: number) {\n  ${branches}\n  }\n}`,
        `export abstract class Abstract {\n  abstract add(a: boolean, gone: number): void\n}`,
        `export class Kept {\n  constructor(readonly a: boolean, private gone: number) {\n    if (a) this.run()\n  }\n  run() {}\n}`,
        `export const plugin = {\n  visit(a: boolean, gone: number) {\n  ${branches}\n  },\n}`,
        `export const wrapped = memoize((a: boolean, gone: number) => {\n  ${branches}\n})`,
        `export class Own {\n  run(a: boolean, gone: number) {\n  ${branches}\n  }\n}`,
        `export class Sub extends Own {\n  run(a: boolean, gone: number) {\n  return a ? gone : 2\n  }\n}`,
        `export const handler: Handler = (a, gone) => {\n  ${branches}\n}`,
        `export const checked = ((a, gone) => {\n  ${branches}\n}) satisfies Handler`,
        `export class Kind {\n  handle: Handler = (a, gone) => {\n  ${branches}\n  }\n}`,
        `export class Elsewhere {\n  run(a: boolean, gone: number) {\n  ${branches}\n  }\n}`,
        `export function stub(a: boolean, gone: number) {\n  throw new Error('not yet')\n}`,
        '',
      ].join('\n'),
      'src/b.ts': "import * as all from './a.ts'\nexport class Below extends all.Elsewhere {}\n",
      'shop.py': [
        'def public(a, gone):\n    if a:\n        return 1\n    return 2\n',
        'def _value(a, gone):\n    if a:\n        return 1\n    return 2\n',
        'handlers = [_value]\n',
        '@click.command\ndef _decorated(a, gone):\n    if a:\n        return 1\n    return 2\n',
        'class Base(Other):\n    def _method(self, a, gone):\n        if a:\n            return 1\n        return 2\n',
        'def _locals(a, gone):\n    if a:\n        return locals()\n    return 2\n',
        '',
      ].join('\n'),
    }),
  ).toEqual([])
})

test('lists 50 findings and counts the others', async () => {
  const imports = Array.from({ length: 60 }, (_, at) => `import a${at} from 'missing-${String(at).padStart(2, '0')}'\n`)
  const { findings, moreFindings } = await analyzed({ 'package.json': json(shop), 'src/index.js': imports.join('') })
  expect([findings?.length, moreFindings, findings?.[49]?.line]).toEqual([50, 10, 50])
})
