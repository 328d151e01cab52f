import { expect, test } from 'vitest'
import { linksOf, repository } from '../testing/repository.ts'

test('finds relative imports whatever their extension says', async () => {
  const repo = await repository({
    'src/app.ts': `
      import { parse } from './parser'
      import { print } from './printer.js'
      import { view } from './view.jsx'
      import { old } from './old.mjs'
      import { kit } from './kit'
      import { same } from './same.ts'
      parse(); print(); view(); old(); kit(); same()`,
    'src/parser.ts': 'export function parse() {}',
    'src/printer.ts': 'export function print() {}',
    'src/view.tsx': 'export function view() {}',
    'src/old.mts': 'export function old() {}',
    'src/kit/index.ts': 'export function kit() {}',
    'src/same.ts': 'export function same() {}',
  })
  expect(linksOf(repo, 'src/app.ts')).toEqual([
    'src/kit/index.ts: kit',
    'src/old.mts: old',
    'src/parser.ts: parse',
    'src/printer.ts: print',
    'src/same.ts: same',
    'src/view.tsx: view',
  ])
})

test('follows names through barrels to the files that declare them, renamed on the way or not', async () => {
  const repo = await repository({
    'test/all.ts': `import { Router as Route, handle, tools, missing } from '../src/index.js'
      new Route(); handle(); tools.trim()`,
    'src/index.ts': `
      export * from './router.ts'
      export { run as handle } from './runner.ts'
      export * as tools from './tools.ts'`,
    'src/router.ts': 'export { default as Router } from "./impl/router.ts"',
    'src/impl/router.ts': 'export default class TrieRouter {}',
    'src/runner.ts': 'export function run() {}\nexport function idle() {}',
    'src/tools.ts': 'export function trim() {}\nexport function pad() {}',
    'src/unused.ts': 'export function unused() {}',
  })
  expect(linksOf(repo, 'test/all.ts')).toEqual([
    'src/impl/router.ts: TrieRouter',
    'src/index.ts:',
    'src/runner.ts: run',
    'src/tools.ts: trim',
  ])
  expect(linksOf(repo, 'src/index.ts')).toEqual([
    'src/router.ts: (passes on)',
    'src/runner.ts: (passes on)',
    'src/tools.ts: (passes on)',
  ])
})

test('follows a name that is imported and exported in two steps', async () => {
  const repo = await repository({
    'src/main.ts': `import { start } from './api'\nstart()`,
    'src/api.ts': `import { start } from './start'\nexport { start }`,
    'src/start.ts': 'export const start = () => 1',
  })
  expect(linksOf(repo, 'src/main.ts')).toEqual(['src/api.ts:', 'src/start.ts: start'])
})

test('takes of a whole module what the importer mentions', async () => {
  const repo = await repository({
    'src/a.ts': `import * as dates from './dates'\ndates.format(1)`,
    'src/dates.ts': 'export function format() {}\nexport function parse() {}',
  })
  expect(linksOf(repo, 'src/a.ts')).toEqual(['src/dates.ts: format'])
})

test('reads CommonJS: properties, whole modules and modules that hand others on', async () => {
  const repo = await repository({
    'index.js': `module.exports = require('./lib/express')`,
    'lib/express.js': `
      const Route = require('./router')
      const { merge } = require('./utils')
      exports = module.exports = createApplication
      function createApplication() { merge(); new Route() }
      exports.static = require('./static')`,
    'lib/router.js': 'module.exports = class Router { handle() { return 1 } }',
    'lib/utils.js': 'exports.merge = function merge() {}\nexports.flatten = () => {}',
    'lib/static.js': 'module.exports = function serve() { return 1 }',
    'test/app.js': `const express = require('..')\nexpress()`,
    'package.json': '{ "name": "express" }',
  })
  expect(linksOf(repo, 'lib/express.js')).toContain('lib/router.js: Router')
  expect(linksOf(repo, 'lib/express.js')).toContain('lib/utils.js: merge')
  expect(linksOf(repo, 'test/app.js')).toEqual(['index.js:', 'lib/express.js: createApplication'])
})

test('does not mistake types for code', async () => {
  const repo = await repository({
    'src/a.ts': `import type { Options } from './options'\nimport { run } from './run'\nrun()`,
    'src/options.ts': 'export interface Options { name: string }\nexport function defaults() {}',
    'src/run.ts': 'export function run() {}',
  })
  expect(linksOf(repo, 'src/a.ts')).toEqual(['src/options.ts: Options (types)', 'src/run.ts: run'])
})

test('reads the scripts of components', async () => {
  const repo = await repository({
    'src/App.vue': `<template><Panel/></template>
<script setup lang="ts">
import Panel from './Panel.vue'
import { load } from './load'
load()
</script>`,
    'src/Panel.vue': '<script>export default { name: "panel" }</script>',
    'src/load.ts': 'export function load() {}',
  })
  expect(linksOf(repo, 'src/App.vue')).toEqual(['src/Panel.vue: default', 'src/load.ts: load'])
})

test('understands paths and baseUrl of the nearest configuration, comments and trailing commas included', async () => {
  const repo = await repository({
    'tsconfig.json': `{
      // what the editor writes
      "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/*"], "config": ["src/settings.ts"], }, },
    }`,
    'src/main.ts': `
      import { a } from '@app/deep/a'
      import { b } from 'src/b'
      import { c } from 'config'
      a(); b(); c()`,
    'src/deep/a.ts': 'export function a() {}',
    'src/b.ts': 'export function b() {}',
    'src/settings.ts': 'export function c() {}',
  })
  expect(linksOf(repo, 'src/main.ts')).toEqual(['src/b.ts: b', 'src/deep/a.ts: a', 'src/settings.ts: c'])
})

test('takes the longest matching pattern, and the next target when a file is not there', async () => {
  const repo = await repository({
    'tsconfig.json': `{ "compilerOptions": { "paths": {
      "@x/*": ["./wrong/*"], "@x/core/*": ["./missing/*", "./core/*"] } } }`,
    'main.ts': `import { a } from '@x/core/a'\na()`,
    'core/a.ts': 'export function a() {}',
    'wrong/core/a.ts': 'export function a() {}',
  })
  expect(linksOf(repo, 'main.ts')).toEqual(['core/a.ts: a'])
})

test('follows extends, through packages of the repository too, and templates for the directory asked for', async () => {
  const repo = await repository({
    'configs/package.json': '{ "name": "@acme/configs" }',
    'configs/base.json': '{}',
    'configs/tsconfig.base.json': '{ "compilerOptions": { "paths": { "~lib/*": ["${configDir}/lib/*"] } } }',
    'apps/web/tsconfig.json': '{ "extends": ["@acme/configs/tsconfig.base.json"] }',
    'apps/web/main.ts': `import { a } from '~lib/a'\na()`,
    'apps/web/lib/a.ts': 'export function a() {}',
    'apps/cli/tsconfig.json': '{ "extends": "../web/tsconfig" }',
    'apps/cli/main.ts': `import { a } from '~lib/a'\na()`,
    'apps/cli/lib/a.ts': 'export function a() {}',
  })
  expect(linksOf(repo, 'apps/web/main.ts')).toEqual(['apps/web/lib/a.ts: a'])
  expect(linksOf(repo, 'apps/cli/main.ts')).toEqual(['apps/cli/lib/a.ts: a'])
})

test('reads the paths of the projects that a configuration only refers to', async () => {
  const repo = await repository({
    'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
    'tsconfig.app.json': '{ "compilerOptions": { "paths": { "@/*": ["./client/*"] } } }',
    'client/main.ts': `import { a } from '@/a'\na()`,
    'client/a.ts': 'export function a() {}',
  })
  expect(linksOf(repo, 'client/main.ts')).toEqual(['client/a.ts: a'])
})

test('leads imports of workspace packages to their sources, though their manifests name built files', async () => {
  const repo = await repository({
    'packages/core/package.json': JSON.stringify({
      name: '@acme/core',
      exports: {
        '.': { types: './dist/index.d.ts', import: './dist/index.mjs' },
        './parse': './dist/esm/parse.js',
        './plugins/*': { default: './dist/plugins/*.js' },
      },
    }),
    'packages/core/src/index.ts': 'export function core() {}',
    'packages/core/src/parse.ts': 'export function parse() {}',
    'packages/core/src/plugins/css.ts': 'export function css() {}',
    'packages/old/package.json': '{ "name": "old", "main": "lib/old.js" }',
    'packages/old/lib/old.js': 'exports.old = function old() {}',
    'packages/old/extra.js': 'exports.extra = function extra() {}',
    'packages/bare/package.json': '{ "name": "bare" }',
    'packages/bare/index.js': 'exports.bare = function bare() {}',
    'packages/app/main.ts': `
      import { core } from '@acme/core'
      import { parse } from '@acme/core/parse'
      import { css } from '@acme/core/plugins/css'
      import { old } from 'old'
      import { extra } from 'old/extra'
      import { bare } from 'bare'
      import { readFile } from 'node:fs'
      import React from 'react'
      core(); parse(); css(); old(); extra(); bare(); readFile(React)`,
  })
  expect(linksOf(repo, 'packages/app/main.ts')).toEqual([
    'packages/bare/index.js: bare',
    'packages/core/src/index.ts: core',
    'packages/core/src/parse.ts: parse',
    'packages/core/src/plugins/css.ts: css',
    'packages/old/extra.js: extra',
    'packages/old/lib/old.js: old',
  ])
})

test('reads the internal names of a package, and the aliases that every bundler set-up uses', async () => {
  const repo = await repository({
    'package.json': '{ "name": "app", "imports": { "#db/*": { "default": "./src/database/*.ts" } } }',
    'src/main.ts': `import { pool } from '#db/pool'\nimport { ui } from '@/ui'\npool(); ui()`,
    'src/database/pool.ts': 'export function pool() {}',
    'src/ui.ts': 'export function ui() {}',
  })
  expect(linksOf(repo, 'src/main.ts')).toEqual(['src/database/pool.ts: pool', 'src/ui.ts: ui'])
})

test('the package nearest to the root wins over fixtures of the same name', async () => {
  const repo = await repository({
    'packages/kit/package.json': '{ "name": "kit", "main": "index.js" }',
    'packages/kit/index.js': 'exports.kit = () => {}',
    'packages/kit/test/fixtures/deep/package.json': '{ "name": "kit", "main": "index.js" }',
    'packages/kit/test/fixtures/deep/index.js': 'exports.kit = () => {}',
    'main.js': `require('kit').kit()`,
  })
  expect(linksOf(repo, 'main.js')).toEqual(['packages/kit/index.js: kit'])
})
