import type { Attributes } from '../xml-events.ts'
import type { Around, Placement } from './placement.ts'
import type { Problem } from './problem.ts'

/** An open suite while its tests are read. */
export interface Suite {
  attributes: Attributes
  around: Around
  place: (test: Attributes) => Placement
  /** Tests inside, including tests of inner suites. */
  cases: number
  /** Tests and suites directly inside. */
  children: number
  /** Earlier attempts of tests inside, which some tools count as tests. */
  earlierTries: number
  /** Errors outside of tests, such as in the setup of the suite. */
  problems: Problem[]
  /** Whether the names of tests are unique, so that a repeated name is another attempt. */
  namesAreUnique: boolean
}

export function openSuite(attributes: Attributes, around: Around, place: Suite['place']): Suite {
  const { name } = attributes
  const namesAreUnique = name === 'pytest' || name === 'pytest tests' || name === 'nextest-run'
  return { attributes, around, place, cases: 0, children: 0, earlierTries: 0, problems: [], namesAreUnique }
}

/** Compares the totals that suites announce with their tests; the tests count. */
export function totals() {
  let wrong = 0
  let example = ''
  return {
    check: ({ attributes, cases, children, earlierTries }: Suite) => {
      const announced = attributes['tests']
      if (announced === undefined || !/^\d+$/.test(announced)) return
      if ([cases, children, cases + earlierTries].includes(Number(announced))) return
      wrong += 1
      if (example === '')
        example = `"${attributes['name']?.slice(0, 100) ?? ''}" announces ${announced.slice(0, 20)} and has ${cases}`
    },
    warning: () => (wrong === 0 ? null : `${wrong} suite(s) announce a wrong number of tests; the first: ${example}`),
  }
}

/** Returns the number of failures and errors that a suite without tests announces. */
export function announcedProblems({ attributes }: Suite): number {
  const count = (text: string | undefined) => (text !== undefined && /^\d+$/.test(text) ? Number(text) : 0)
  return count(attributes['errors']) + count(attributes['failures'])
}
