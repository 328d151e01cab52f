/**
 * Compares rules for flaky tests on simulated histories whose truth is known: `npm run bench -- flaky-rules [histories]
 * [first seed]`. The seeds from 1,000 on were not used to choose Assay's thresholds.
 */
import { type Scenario, simulate } from './flaky-rules/history.ts'
import { assay, flakedTwice, passOnRetry, type Rule, twoFlips } from './flaky-rules/rules.ts'
import { printTable } from './report.ts'

const rules: [string, Rule][] = [
  ['two flips in 20 runs', twoFlips],
  ['pass on retry, 7 quiet days, 80 % guard', passOnRetry],
  ['limit: flaked twice, or passed on retry', flakedTwice],
  ['Assay', assay],
]

const base: Omit<Scenario, 'runsPerDay' | 'retries' | 'split' | 'merged'> = {
  tests: 800,
  days: 30,
  outages: 3,
  groupOutages: 6,
}
const prints = [
  { name: 'perfect', split: 0, merged: 0 },
  { name: '30 % split, 10 % merged', split: 0.3, merged: 0.1 },
  { name: '90 % split', split: 0.9, merged: 0 },
  { name: '60 % merged', split: 0, merged: 0.6 },
]
/** A rate that CI's users notice. */
const leastRate = 0.02

const [seeds = 10, from = 1_000] = process.argv.slice(2).map(Number)
for (const runsPerDay of [20, 4]) {
  for (const retries of [true, false]) {
    console.log(`\n${runsPerDay} runs a day, ${retries ? 'one retry' : 'no retries'}, mean of ${seeds} histories\n`)
    const rows = prints.flatMap(({ name, ...print }) =>
      rules
        .filter(([rule]) => name === 'perfect' || rule === 'Assay')
        .map(([rule, judge]) => [
          rule,
          name,
          ...measure({ ...base, ...print, runsPerDay, retries }, judge, seeds, from),
        ]),
    )
    printTable(
      ['rule', 'fingerprints', 'recall >= 2 %', 'recall < 2 %', 'healthy flagged (most)', 'called broken', 'flaps'],
      rows,
    )
  }
}

function measure(scenario: Scenario, rule: Rule, seeds: number, from: number): string[] {
  const totals = { found: 0, flaky: 0, rareFound: 0, rare: 0, flagged: 0, most: 0, broken: 0, flaps: 0 }
  for (let seed = from; seed < from + seeds; seed++) {
    const history = simulate(scenario, seed)
    let flagged = 0
    for (const [index, said] of rule(history).entries()) {
      const test = history.tests[index]
      if (!test) continue
      totals.flaps += said.flaps
      if (test.kind !== 'flaky') {
        if (said.flaky) flagged++
        if (said.broken && test.kind === 'healthy') totals.broken++
      } else if (test.rate >= leastRate) {
        totals.flaky++
        if (said.flaky) totals.found++
      } else {
        totals.rare++
        if (said.flaky) totals.rareFound++
      }
    }
    totals.flagged += flagged
    totals.most = Math.max(totals.most, flagged)
  }
  const each = (total: number) => (total / seeds).toFixed(1)
  return [
    (totals.found / totals.flaky).toFixed(3),
    (totals.rareFound / totals.rare).toFixed(2),
    `${each(totals.flagged)} (${totals.most})`,
    each(totals.broken),
    each(totals.flaps),
  ]
}
