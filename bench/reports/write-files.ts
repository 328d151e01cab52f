import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes a JUnit report like those of Vitest: files of 50 cases, one in fifty failed with a stack. */
export function writeJunit(path: string, cases = 100_000): Promise<void> {
  return pipeline(Readable.from(junit(cases)), createWriteStream(path))
}

function* junit(cases: number): Generator<string> {
  yield `<?xml version="1.0" encoding="UTF-8" ?>\n<testsuites name="vitest tests" tests="${cases}" failures="${cases / 50}" errors="0" time="900">\n`
  for (let suite = 0; suite < cases / 50; suite++) {
    const file = `packages/shop-${suite % 40}/src/checkout/price-${suite}.test.ts`
    yield `  <testsuite name="${file}" timestamp="2026-01-01T00:00:00.000Z" hostname="ci" tests="50" failures="1" errors="0" skipped="1" time="0.45">\n`
    let text = ''
    for (let index = 0; index < 50; index++) {
      const start = `    <testcase classname="${file}" name="price ${suite} &gt; gives customer ${index} the discount of a &quot;regular&quot;" time="0.00${index}"`
      if (index === 7) {
        text += `${start}>\n      <failure message="expected ${suite} to be ${index} // Object.is equality" type="AssertionError">
AssertionError: expected ${suite} to be ${index} // Object.is equality
- Expected
+ Received
 ❯ ${file}:${index + 10}:25
      </failure>\n    </testcase>\n`
      } else text += index === 9 ? `${start}>\n      <skipped/>\n    </testcase>\n` : `${start}>\n    </testcase>\n`
    }
    yield `${text}  </testsuite>\n`
  }
  yield '</testsuites>\n'
}

/** Writes 50 MB of LCOV: 3,000 files with about 1,550 lines of code each, a third of them not covered. */
export function writeLcov(path: string): Promise<void> {
  return pipeline(Readable.from(lcov()), createWriteStream(path))
}

function* lcov(): Generator<string> {
  let seed = 1
  for (let file = 0; file < 3000; file++) {
    let text = `TN:\nSF:packages/shop-${file % 40}/src/checkout/price-${file}.ts\n`
    let covered = 0
    for (let line = 1; line <= 1550; line++) {
      // Consecutive lines share their coverage, as in a branch of a program.
      if (line % 7 === 1) seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1
      const count = seed % 3 === 0 ? 0 : (seed + line) % 1000
      if (count > 0) covered++
      text += `DA:${line + (line >> 2)},${count}\n`
    }
    yield `${text}LF:1550\nLH:${covered}\nend_of_record\n`
  }
}
