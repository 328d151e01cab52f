import { expect, test } from 'vitest'
import { testRunner } from '../../../engines/processes/testing/runner.ts'
import { programLimits, switchedProgram } from './find-mutants.ts'
import { readCode } from './read-code.ts'

const files = new Map(['a.js', 'b.js', 'c.js'].map((path) => [path, 'export const isLow = (count) => count < 3\n']))
const program = (limits: Partial<typeof programLimits> = {}) =>
  switchedProgram(testRunner, { files, onTop: null, scores: [], limits: { ...programLimits, ...limits } })

test('a program has a limited number of mutants and a limited size, and counts the files that are left out', async () => {
  const all = await program()
  expect([all.mutants.length, all.leftFiles, [...all.sources.keys()].toSorted()]).toEqual([6, 0, [...files.keys()]])
  // Whole files are read, and the best mutants of these are taken.
  const some = await program({ mutants: 3 })
  expect([some.mutants.length, some.leftFiles]).toEqual([3, 2])
  const small = await program({ characters: 10 })
  expect([small.sources.size, small.leftFiles, small.unsupported]).toEqual([1, 2, []])
  const late = await program({ stopAt: performance.now() - 1 })
  expect([late.mutants, late.leftFiles]).toEqual([[], 3])
})

test('mutants are numbered by lot, so that the first numbers are a sample', async () => {
  const { mutants, probes } = await program()
  expect(mutants.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5, 6])
  expect([...probes.keys()].toSorted()).toEqual([1, 2, 3, 4, 5, 6])
})

test('the code with the best scores is read first, as far as there is room', async () => {
  const source = { tree: { paths: [...files.keys()], read: async (path: string) => files.get(path) ?? null } }
  const scores = [
    { path: 'b.js', symbol: 'isLow', score: 0.9 },
    { path: 'c.js', symbol: 'isLow', score: 0.4 },
  ]
  const read = (maximum?: number) =>
    readCode(source, { paths: [] }, { onTop: null, scores, ...(maximum && { maximum }) })
  expect([...(await read()).files.keys()]).toEqual(['b.js', 'c.js', 'a.js'])
  const { files: some, left } = await read(100)
  expect([[...some.keys()], left]).toEqual([['b.js', 'c.js'], 1])
})
