import { expect, test } from 'vitest'
import { createTokenFor } from '../testing/factories.ts'
import { createVerificationScene } from './testing/scene.ts'

const secret = 'squeamish-ossifrage'
const files = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'a.js': 'export const isOn = (value) => value === 1\n',
  'a.test.js': "import { test } from 'node:test'\nimport './a.js'\ntest('a', () => {})\n",
}
/** Puts what it finds wherever a test can put anything. */
const prying = {
  filePath: 'b.test.js',
  code: `import { test } from 'node:test'
import assert from 'node:assert'
import { isOn } from './a.js'
const found = process.env.KEY ?? 'nothing'
console.log('printed', found)
test('named ' + found, () => assert.equal(isOn(1), false, 'told ' + found))
`,
}

test('masks the environment everywhere, and passes it only to tests of callers who may set it', async () => {
  await using scene = await createVerificationScene()
  const { id } = await scene.project(files, { environment: { KEY: secret } })
  const how = { repeats: 2, mutants: 0 }
  const own = await scene.verify(id, prying, how)
  expect(own, JSON.stringify(own.error)).toMatchObject({ verdict: 'suspected_bug' })
  expect(own.evidence?.collected?.names).toEqual(['named ***'])
  expect(own.evidence?.runs[0]?.failures[0]?.message).toContain('told ***')
  expect(own.evidence?.output).toContain('***')
  const stored = await scene.app.dataSource.query('SELECT * FROM verifications')
  expect(JSON.stringify(stored)).not.toContain(secret)
  expect(JSON.stringify(await scene.app.dataSource.query('SELECT * FROM verification_baselines'))).not.toContain(secret)

  const [{ user_id: userId }] = await scene.app.dataSource.query<[{ user_id: string }]>(
    'SELECT user_id FROM projects WHERE id = $1',
    [id],
  )
  const [user] = await scene.app.dataSource.query('SELECT * FROM users WHERE id = $1', [userId])
  const runner = scene.app.client(await createTokenFor(scene.app, { user, scopes: ['tests:run', 'tests:read'] }))
  const { id: verificationId } = await runner.tests.verify.mutate({ projectId: id, ...prying, ...how })
  const withheld = await scene.waitForVerification(verificationId)
  expect(withheld).toMatchObject({ verdict: 'suspected_bug', sameAs: null })
  expect(withheld.evidence?.collected?.names).toEqual(['named nothing'])
})
