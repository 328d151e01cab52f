import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../../source/testing/cpu-time.ts'
import type { ExportFact } from '../../parsing/types.ts'
import { buildGraph } from './graph.ts'
import { type SourceFile, SourceTree } from './source-tree.ts'
import { linksOf, madeUpFile } from './testing/repository.ts'

function module(
  path: string,
  exports: ExportFact[],
  imported: { specifier: string; names: string[] }[] = [],
): SourceFile {
  return madeUpFile(path, 'TypeScript', { exports, imports: imported })
}

const star = (from: string): ExportFact => ({ name: '*', from })

test('gives up on names that lead in a circle', () => {
  const files = [
    module('a.ts', [star('./b'), { name: 'x', from: './b' }]),
    module('b.ts', [star('./c'), { name: 'x', local: 'y', from: './c' }]),
    module('c.ts', [star('./a'), star('./c'), { name: 'y', local: 'x', from: './a' }, { name: 'real' }]),
    module('main.ts', [], [{ specifier: './a', names: ['x', 'real', 'gone'] }]),
  ]
  expect(linksOf({ files, manifests: new Map() }, 'main.ts')).toEqual(['a.ts:', 'c.ts: real'])
})

test('follows a chain of star exports up to a realistic length', () => {
  const length = 500
  const files = Array.from({ length }, (_, index) => module(`m${index}.ts`, [star(`./m${index + 1}`)]))
  files.push(module(`m${length}.ts`, [{ name: 'deep' }]))
  files.push(module('main.ts', [], [{ specifier: './m0', names: ['deep'] }]))
  expect(linksOf({ files, manifests: new Map() }, 'main.ts')).toContain(`m${length}.ts: deep`)
})

test('stays fast on a barrel of 10,000 files with as many importers', async () => {
  const count = 10_000
  const files: SourceFile[] = [
    module(
      'index.ts',
      Array.from({ length: count }, (_, index) => star(`./part${index}`)),
    ),
  ]
  for (let index = 0; index < count; index += 1) {
    files.push(
      module(
        `part${index}.ts`,
        [{ name: `name${index}` }],
        [{ specifier: './index', names: [`name${(index * 7) % count}`] }],
      ),
    )
  }
  let importers: readonly (readonly number[])[] = []
  const spent = await cpuMilliseconds(() => {
    importers = buildGraph(new SourceTree(files)).importers
  })
  expect(spent).toBeLessThan(3_000)
  expect(importers[0]).toHaveLength(count)
  // Part 7 is named by part 1, which imports the barrel only.
  expect(importers[8]).toEqual([2])
})

test('stays fast on many barrels of many files', async () => {
  const barrels = 300
  const files: SourceFile[] = []
  for (let index = 0; index < barrels; index += 1) {
    const others = Array.from({ length: barrels }, (_, other) => star(`./barrel${other}`))
    files.push(module(`barrel${index}.ts`, [...others, { name: `own${index}` }]))
  }
  files.push(module('main.ts', [], [{ specifier: './barrel0', names: ['own299', 'missing'] }]))
  const spent = await cpuMilliseconds(() => {
    expect(linksOf({ files, manifests: new Map() }, 'main.ts')).toEqual(['barrel0.ts:', 'barrel299.ts: own299'])
  })
  expect(spent).toBeLessThan(2_000)
})
