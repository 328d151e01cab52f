import { createContext, Script } from 'node:vm'
import { expect, test } from 'vitest'
import { differences, evaluate, switched } from './testing.ts'

test('copies statements and expressions instead of a long function', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `  if (n === ${index}) return ${index} + n`)
  const source = `function long(n) {\n${lines.join('\n')}\n  return n > 5\n}\nconst result = () => [long(2), long(9_000)]`
  const { source: all, mutants, left } = await switched(source)
  expect(mutants.length).toBeGreaterThan(3_000)
  expect(left).toEqual([])
  expect(all.length).toBeLessThan(15 * source.length)
  expect(evaluate(all)).toBe('[4,true]')
  const last = mutants.find(({ mutant }) => mutant.replacement === 'n <= 5')?.id
  expect(evaluate(all, { active: last })).toBe('[4,false]')
})

test('leaves the call of super where compilers find it', async () => {
  const source = `class Base { constructor(n) { this.n = n } }
class Next extends Base { constructor(n) { super(n + 1) } }
const result = () => new Next(1).n`
  const { source: all } = await switched(source, 'js', 0)
  expect(all).toMatch(/;super\(n \+ 1\) }/)
  expect((await differences(source, 'js', 0)).found).toEqual([])
})

test('the start and each loop of a long function check the time while one of its mutants is chosen', async () => {
  const source = `function long(n) {
  if (n > 99) return -1
  for (let i = 0; i < n; i++) n += 0
  while (n < 5) n++
  do n += 1; while (n < 8)
  return [7].map((one) => { while (one > 3) one--; return one + 0.5 })
}
const other = (n) => n > 1
const result = () => [long(2), other(1)]`
  const { source: all, mutants } = await switched(source, 'js', 0)
  const checksOf = (replacement: string) => {
    let checks = 0
    const active = mutants.find(({ mutant }) => mutant.replacement === replacement)?.id ?? -1
    return [evaluate(all, { active, check: () => (checks += 1) }), checks]
  }
  // Once at the start, and in two, three and three turns.
  expect(checksOf('n >= 99')).toEqual(['[[3.5],false]', 9])
  expect(checksOf('n <= 99')).toEqual(['[-1,false]', 1])
  // The inner function and the other one have mutants of their own.
  expect(checksOf('one - 0.5')).toEqual(['[[2.5],false]', 5])
  expect(checksOf('n >= 1')).toEqual(['[[3.5],true]', 1])
})

test.each([
  'const step = n > 2 ? 1 : 0; while (i < n) i += step',
  // A declaration cannot be copied alone, so all of the loop is.
  'while (i < n) { const { [n - 1]: step } = { 2: 1, 4: 0 }; i += step }',
])('a check stops the endless loop of a mutant in a long function: %s', async (code) => {
  const source = `function long(n) { let i = 0; ${code}; return i }\nconst result = () => long(3)`
  const { source: all, mutants } = await switched(source, 'js', 0)
  const active = mutants.find(({ mutant }) => /n <= 2|n \+ 1/.test(mutant.replacement))?.id
  let rest = 50
  const check = () => {
    rest -= 1
    if (rest === 0) throw new Error('too long')
  }
  expect(evaluate(all, { active, check })).toBe('failed: Error: too long')
})

test('a function that runs keeps its mutant until it ends', async () => {
  const source = 'function* long(n) {\n  yield n + 1\n  yield n + 2\n}\n'
  const { source: all, mutants } = await switched(source, 'js', 0)
  const second = mutants.find(({ mutant }) => mutant.original === 'n + 2')?.id
  const shared = { active: second, reach: null, check: () => undefined, run: () => undefined }
  const context = createContext({ __assayMutants__: shared })
  new Script(`${all};const one = long(1);var got = [one.next().value]`).runInContext(context)
  shared.active = 0
  new Script('got.push(one.next().value)').runInContext(context)
  expect(context.got).toEqual([2, -1])
})
