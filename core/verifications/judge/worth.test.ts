import { test } from 'vitest'
import { expectRule, facts, gain, mutant, mutants, type Rule } from './testing.ts'
import { judge } from './verdict.ts'

const rules: Rule[] = [
  // What a test that passes is worth.
  [
    'new lines and a mutant that it kills',
    {},
    'accepted',
    'kills_mutants',
    /1 of 2 small changes .* reaches 3 lines that .* line 4 of src\/cart.ts: assert what happens exactly at that boundary/,
  ],
  [
    'a branch alone that is new',
    { coverage: gain({ newProjectBranches: 1 }) },
    'accepted',
    'kills_mutants',
    /1 branch /,
  ],
  [
    'nothing new but mutants that no other test kills',
    { coverage: gain(), mutation: mutants([mutant('killed')], 1) },
    'accepted',
    'kills_mutants',
    /own tests let pass/,
  ],
  [
    'no coverage, and mutants that no other test kills',
    { coverage: null, mutation: mutants([mutant('killed')], 1) },
    'accepted',
    'kills_mutants',
  ],
  [
    'nothing that other tests do not do',
    { coverage: gain(), mutation: mutants([mutant('killed')], 0) },
    'no_gain',
    'nothing_new',
  ],
  [
    'neither coverage nor other tests to compare with',
    { coverage: null, mutation: mutants([mutant('killed')]) },
    'no_gain',
    'nothing_new',
  ],
  [
    'mutants that all live',
    { mutation: mutants([mutant('survived'), mutant('survived', 'removed_call', 7)]) },
    'no_gain',
    'no_assertion_noticed',
    /`a <= b` in the place of `a < b` in line 4.*line 7 of src\/cart.ts: assert what that call does/,
  ],
  [
    'mutants that it notices by crashing only',
    { mutation: mutants([mutant('crashed'), mutant('timed_out'), mutant('survived')]) },
    'no_gain',
    'no_assertion_noticed',
    /2 of them made it throw or not end/,
  ],
  [
    'mutants that crash a test without assertions',
    { style: { assertions: 0, weakAssertions: 0, mocks: 0, mockShare: 0 }, mutation: mutants([mutant('crashed')]) },
    'no_gain',
    'no_assertions',
  ],
  [
    'a look at whether there is a result at all',
    { mutation: mutants([mutant('killed', 'return'), mutant('survived', 'condition'), mutant('survived')]) },
    'no_gain',
    'says_too_little',
  ],
  [
    'a look at whether there is a result, though some change makes it throw',
    { mutation: mutants([mutant('killed', 'return'), mutant('survived', 'condition'), mutant('crashed')]) },
    'no_gain',
    'says_too_little',
    /none of 2 other changes/,
  ],
  [
    'assertions that only look at what type it is, whatever they notice by chance',
    { style: { assertions: 2, weakAssertions: 2, mocks: 0, mockShare: 0 } },
    'no_gain',
    'says_too_little',
    /value for value/,
  ],
  [
    'such assertions beside one that says more',
    { style: { assertions: 3, weakAssertions: 2, mocks: 0, mockShare: 0 } },
    'accepted',
    'kills_mutants',
  ],
  [
    'such assertions, in a language that is not mutated',
    {
      path: 'a_spec.rb',
      target: null,
      mutation: null,
      style: { assertions: 1, weakAssertions: 1, mocks: 0, mockShare: 0 },
    },
    'no_gain',
    'says_too_little',
  ],
  [
    'mocks that are called, where nothing else could be changed',
    {
      style: { assertions: 1, weakAssertions: 0, mocks: 2, mockShare: 0.67 },
      mutation: mutants([mutant('killed', 'return')]),
    },
    'no_gain',
    'says_too_little',
    /not that a mock was called/,
  ],
  [
    'a result where nothing else could be changed',
    { mutation: mutants([mutant('killed', 'return'), mutant('survived', 'return')]) },
    'accepted',
    'kills_mutants',
  ],
  [
    'a result, and a crash by something else',
    { mutation: mutants([mutant('killed', 'return'), mutant('crashed', 'condition')]) },
    'accepted',
    'kills_mutants',
  ],
  [
    'code that it never reaches',
    { coverage: gain({ targetLinesReached: '', newProjectLines: 9 }), mutation: mutants([]) },
    'no_gain',
    'nothing_reached',
    /total in src\/cart.ts/,
  ],
  [
    'code in which nothing can be changed',
    { mutation: mutants([]) },
    'accepted',
    'reaches_new_code',
    /3 assertions and reaches 3 lines/,
  ],
  [
    'code that it loads and does not call',
    { mutation: { ...mutants([]), passedBy: 6 } },
    'no_gain',
    'only_loaded',
    /none of its functions is called/,
  ],
  ['changes that cannot be built', { mutation: mutants([mutant('invalid')]) }, 'accepted', 'reaches_new_code'],
  [
    'new lines elsewhere, and nothing to change in its target',
    { mutation: mutants([]), coverage: gain({ newProjectLines: 40 }) },
    'no_gain',
    'nothing_new',
  ],
  [
    'code in which nothing can be changed, and no assertion',
    { mutation: mutants([]), style: { assertions: 0, weakAssertions: 0, mocks: 1, mockShare: 1 } },
    'no_gain',
    'no_assertions',
  ],
  ['no mutants although they are possible', { mutation: null }, 'no_gain', 'nothing_tried', /`mutants` above 0/],
  ['nothing that it could be about', { mutation: null, target: null }, 'no_gain', 'no_target'],
  [
    'new lines in a language that is not mutated',
    { path: 'spec/cart_spec.rb', target: null, mutation: null },
    'accepted',
    'reaches_new_code',
  ],
  [
    'no new lines in such a language',
    { path: 'spec/cart_spec.rb', target: null, mutation: null, coverage: gain() },
    'no_gain',
    'nothing_new',
  ],
  [
    'new lines in a language whose assertions nobody can see',
    { path: 'spec/cart_spec.rb', target: null, mutation: null, style: null },
    'no_gain',
    'assertions_unknown',
  ],
  [
    'nothing that was measured at all',
    { path: 'spec/cart_spec.rb', target: null, mutation: null, coverage: null },
    'no_gain',
    'nothing_measured',
  ],
]

test.for(rules)('%s', (rule) => expectRule(judge(facts(rule[1])), rule))
