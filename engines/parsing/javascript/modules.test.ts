import { expect, test } from 'vitest'
import { factsOf } from '../testing/facts.ts'

test('lists ES imports with the names that they take', async () => {
  const { imports } = await factsOf(
    'ts',
    `import React, { useState as state, type FC } from 'react'
import * as all from './all'
import type { T } from './types'
import { type A, type B } from './only-types'
import './effect'
import legacy = require('./legacy')
const lazy = await import('./lazy')
const { picked } = await import('./picked')
import(\`./template\`).then(use)
import(variable)
new Worker(new URL('./worker.ts', import.meta.url))
new Worker(new URL('beside.ts', import.meta.url))
fetch(new URL('https://example.com/a', import.meta.url))`,
  )
  expect(imports).toEqual([
    { specifier: 'react', names: ['default', 'useState', 'FC'], locals: ['React', 'state', 'FC'] },
    { specifier: './all', names: ['*'], locals: ['all'] },
    { specifier: './types', names: ['T'], typeOnly: true },
    { specifier: './only-types', names: ['A', 'B'], typeOnly: true },
    { specifier: './effect', names: [] },
    { specifier: './legacy', names: ['*'], locals: ['legacy'] },
    { specifier: './lazy', names: ['*'], locals: ['lazy'] },
    { specifier: './picked', names: ['picked'] },
    { specifier: './template', names: ['*'] },
    { specifier: './worker.ts', names: [] },
    { specifier: './beside.ts', names: [] },
    { specifier: 'https://example.com/a', names: [] },
  ])
})

test('lists what CommonJS loads, wherever it does', async () => {
  const { imports } = await factsOf(
    'jsx',
    `require('./effect')
const whole = require('./whole')
const { a, b: renamed, ...rest } = require('./parts')
const one = require('./member').one
function later() { return require('./later')() }
require(variable)
require.resolve('./not-loaded')`,
  )
  expect(imports).toEqual([
    { specifier: './effect', names: [] },
    { specifier: './whole', names: ['*'], locals: ['whole'] },
    { specifier: './parts', names: ['a', 'b', '*'], locals: ['a', 'renamed', 'rest'] },
    { specifier: './member', names: ['one'] },
    { specifier: './later', names: [] },
  ])
})

test('tells exports of its own from those that are passed on', async () => {
  const { exports, imports } = await factsOf(
    'ts',
    `import { inner } from './inner'
export { inner as outer, own as alias }
export { a as default, b } from './direct'
export * from './star'
export * as group from './group'
export type { Shape } from './shape'
export const { x, y: [z = 1, ...more] } = load()
export class Kept {}
export interface Contract {}
export enum Level { Low }
function own() {}`,
  )
  expect(exports).toEqual([
    { name: 'default', local: 'a', from: './direct' },
    { name: 'b', from: './direct' },
    { name: '*', from: './star' },
    { name: 'group', local: '*', from: './group' },
    { name: 'Shape', from: './shape' },
    { name: 'outer', local: 'inner', from: './inner' },
    { name: 'alias', local: 'own' },
    ...['x', 'z', 'more', 'Kept', 'Contract', 'Level'].map((name) => ({ name })),
  ])
  expect(imports.filter((fact) => fact.reexport).map((fact) => fact.specifier)).toEqual([
    './direct',
    './star',
    './group',
    './shape',
  ])
})

test('follows CommonJS modules that pass others on', async () => {
  const { exports } = await factsOf(
    'jsx',
    `exports.whole = require('./whole')
exports.part = require('./parts').part
module.exports = { ...require('./spread'), listed: require('./listed'), own: 1 }
__exportStar(require('./star'), exports)
exports.undone = void 0`,
  )
  expect(exports).toEqual([
    { name: 'whole', local: '*', from: './whole' },
    { name: 'part', from: './parts' },
    { name: '*', from: './spread' },
    { name: 'listed', local: '*', from: './listed' },
    { name: 'own' },
    { name: '*', from: './star' },
    { name: 'undone' },
  ])
})

test('refers to what is called, constructed, extended, decorated with and rendered', async () => {
  const { references } = await factsOf(
    'tsx',
    `@Component({ a: 1 })
class View extends mixin(Base) { draw() { return <Panel.Header><Row /><div /></Panel.Header> } }
class Other extends ns.Parent {}
parse(text); tools.format(text); Tools.shared(); new Reader(); new api.Client(); sql\`select\`; value as Ignored
const passed = callback`,
  )
  expect(references.toSorted()).toEqual(
    [
      'Component',
      'mixin',
      'Parent',
      'Header',
      'Panel',
      'Row',
      'parse',
      'format',
      'shared',
      'Tools',
      'Reader',
      'Client',
      'sql',
    ].toSorted(),
  )
})
