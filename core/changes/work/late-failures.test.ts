import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants, restored } from '../../../engines/verdicts/change/testing.ts'
import type { LayeredExecution } from '../../workspaces/layered-checkout.ts'
import { openLab } from '../../workspaces/runner/testing.ts'
import { findLateFailures, saysLate } from './late-failures.ts'
import type { Trying } from './stages.ts'

const killed = mutants('killed')
const nothing = { mutation: null, restored: [] }

/** A head with two test files of node:test, one of the change, whose tests fail as soon as the head is old. */
async function openHead(opened: AsyncDisposableStack) {
  const { path: folder } = opened.use(await mkdtempDisposable(join(tmpdir(), 'assay-late-')))
  const mark = join(folder, 'is-old')
  const testOf = (title: string, more = '') =>
    `const { existsSync } = require('node:fs')\nconst { describe, test } = require('node:test')\ndescribe('cart', () => {\n  test('${title}', () => {\n    if (existsSync(${JSON.stringify(mark)})) throw new Error('late')\n  })\n${more}})\n`
  const own = {
    path: 'test/cart.test.js',
    code: testOf('rounds', "  test('always fails', () => { throw new Error('bad') })\n"),
  }
  const lab = opened.use(
    await openLab({
      'package.json': '{"scripts":{"test":"node --test test/*.test.js"}}',
      'package-lock.json': '{}',
      [own.path]: own.code,
      'test/old.test.js': testOf('is quick'),
    }),
  )
  const { part } = lab
  let runs = 0
  const layered = {
    run: ({ step }: LayeredExecution) => {
      runs++
      return lab.run(step)
    },
  }
  // The functions read no other parts of a head.
  const trying = (ofChange: readonly (typeof own)[]) =>
    ({
      side: { parts: [part], layered, own: [], paths: [own.path, 'test/old.test.js'] },
      runs: { first: [] },
      tests: ofChange.length > 0 ? new Map([[part, ofChange]]) : new Map(),
      failures: new Set(['cart > always fails']),
      atOnce: 1,
    }) as unknown as Trying
  return { trying, own, growOld: () => writeFile(mark, ''), countRuns: () => runs }
}

test('finds a test of the change that fails on the unchanged head after the mutants, and not one that failed before', async () => {
  await using opened = new AsyncDisposableStack()
  const { trying, own, growOld, countRuns } = await openHead(opened)
  const survived = { mutation: mutants('survived'), restored: [restored()] }
  expect([await findLateFailures(trying([own]), survived), countRuns()]).toEqual([null, 0])
  expect(await findLateFailures(trying([own]), { ...nothing, mutation: killed })).toBeNull()
  expect(countRuns()).toBeGreaterThan(0)
  await growOld()
  const late = await findLateFailures(trying([own]), { ...nothing, mutation: killed })
  expect(late).toMatchObject({ titles: new Set(['cart > rounds']), isOfChange: true, runs: [{}] })
  expect(late && saysLate(late)).toMatch(/^`cart > rounds` fails on the unchanged code after the mutants had run/)
})

test('runs other tests again that noticed something', async () => {
  await using opened = new AsyncDisposableStack()
  const { trying, growOld } = await openHead(opened)
  await growOld()
  const found = await findLateFailures(trying([]), { ...nothing, restored: [restored({ outcome: 'killed' })] })
  expect(found).toMatchObject({ titles: new Set(['cart > rounds', 'cart > is quick']), isOfChange: false })
})
