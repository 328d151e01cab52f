import { describe, expect, it } from 'vitest'
import { sortBy } from '../src/sort-by.ts'

const people = [
  { name: 'Cy', age: 30 },
  { name: 'Ada', age: 30 },
  { name: 'Bob', age: 20 },
]
const names = (sorted: typeof people) => sorted.map(({ name }) => name)

describe('sortBy', () => {
  it('leaves equals in their order', () => {
    expect(names(sortBy(people, ({ age }) => age))).toEqual(['Bob', 'Cy', 'Ada'])
  })
  it('asks the next key where the first cannot tell', () => {
    const sorted = sortBy(
      people,
      ({ age }) => age,
      ({ name }) => name,
    )
    expect(names(sorted)).toEqual(['Bob', 'Ada', 'Cy'])
  })
  it('leaves the input alone', () => {
    sortBy(people, ({ name }) => name)
    expect(names(people)).toEqual(['Cy', 'Ada', 'Bob'])
    expect(sortBy([], () => 1)).toEqual([])
  })
})
