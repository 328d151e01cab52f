import { expect, test } from 'vitest'
import { readAll, readSample } from './testing.ts'

test('reads tests with the classes that come after them, and the rows of a table for themselves', async () => {
  const { cases } = await readSample('money.trx')
  expect(cases.map(({ suite, name, status, durationMs }) => [suite, name, status, durationMs])).toEqual([
    ['Acme.Tests.MoneyTests', 'Adds', 'passed', 12.346],
    ['Acme.Tests.MoneyTests', 'Fails', 'failed', 62_500],
    ['Acme.Tests.MoneyTests', 'Bank', 'skipped', null],
    ['Acme.Tests.MoneyTests', 'Scales (1)', 'passed', 1],
    ['Acme.Tests.MoneyTests', 'Scales (2)', 'failed', 30_000],
  ])
  expect(cases[1]).toMatchObject({
    message: 'Assert.AreEqual failed. Expected:<1>. Actual:<2>.',
    stack: 'at Acme.Tests.MoneyTests.Fails() in /app/tests/MoneyTests.cs:line 12',
  })
  expect(cases[2]?.message).toBe('no bank today')
})

test('ignores prefixes of namespaces, and counts an unknown outcome as a failure', async () => {
  const { cases } = await readAll(
    '<v:TestRun xmlns:v="x"><v:Results><v:UnitTestResult testId="1" testName="t" outcome="Exploded"/></v:Results></v:TestRun>',
  )
  expect(cases).toMatchObject([{ name: 't', suite: '', status: 'failed', durationMs: null }])
})

test('reports a run that stopped as a failed case', async () => {
  const { cases } = await readAll(
    '<TestRun><ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>host crashed</Text></RunInfo></RunInfos></ResultSummary></TestRun>',
  )
  expect(cases).toMatchObject([{ name: 'test run', status: 'failed', message: 'host crashed' }])
})
