import { expect, test } from 'vitest'
import { readTree } from '../../parsing/syntax-tree.ts'
import { mutantsOf } from '../mutants-of.ts'
import { everyLine } from '../testing.ts'
import { pythonHosts } from './hosts.ts'

const source = `
LIMIT = 2 + 3

class Cart:
    size = 4 + 5

    @cached(6 + 7)
    def total(self, by=1 + 1):
        """Sums up."""
        def inner(n):
            return n + 8
        return inner(by) - 9

def unused():
    pass

async def load(n):
    return n < 1
`

test('hosts are the bodies of outermost functions, and expressions outside of functions', async () => {
  const found = await mutantsOf('cart.py', source, everyLine)
  const mutants = found.map((mutant, index) => ({ id: index + 1, mutant }))
  const root = await readTree(source, 'python', 10_000)
  if (!root) throw new Error('not read')
  const hosts = pythonHosts(root, mutants).toSorted((a, b) => a.start - b.start)
  const firstLines = hosts.map(({ start, end }) => source.slice(start, end).split('\n')[0])
  expect(firstLines).toEqual(['2 + 3', '4 + 5', '1 + 1', '"""Sums up."""', 'return n < 1'])
  const total = hosts[3]
  const ids = mutants.filter(({ mutant: { line } }) => line > 8 && line < 13).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(1)
  expect(total?.marker).toBe(-2 * Math.min(...ids) - 1)
  expect(source.slice(total?.start, total?.end)).toMatch(/return inner\(by\) - 9$/)
})
