import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGeneratedTestFor } from '../generated-tests/testing.ts'
import { newId } from '../base/ids.ts'
import { createSuggestionFor } from '../suggestions/testing.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { VerificationEntity } from './entity.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const someTest = { filePath: 'tests/cart.test.js', code: "test('adds up', () => {})" }

async function createScene() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  return { projectId, client: app.client(await createTokenFor(app, { user })) }
}

const rowOf = (id: string) => app.dataSource.getRepository(VerificationEntity).findOneByOrFail({ id })

test('rejects text that Postgres cannot store by name, in a batch only the affected test', async () => {
  const { client, projectId } = await createScene()
  for (const bad of ['a\0b', 'a\ud800']) {
    const wrong: [string, object][] = [
      ['suggestionId', { ...someTest, suggestionId: bad }],
      ['generatedTestId', { generatedTestId: bad }],
      ['target.symbol', { ...someTest, target: { path: 'src/cart.js', symbol: bad } }],
      ['target.path', { ...someTest, target: { path: bad } }],
      ['filePath', { ...someTest, filePath: bad }],
    ]
    for (const [field, test] of wrong) {
      const failure = await client.tests.verify.mutate({ projectId, ...test }).catch((error) => error)
      expect([failure.data?.code, failure.message]).toEqual([
        'BAD_REQUEST',
        `${field}: contains a NUL character or invalid Unicode. Remove it.`,
      ])
    }
    const tests = [someTest, ...wrong.map(([, test]) => test), someTest]
    const { verifications } = await client.tests.verifyMany.mutate({ projectId, tests })
    expect(verifications.map(({ status, error }) => (error ? error.message.split(':')[0] : status))).toEqual([
      'pending',
      ...wrong.map(([field]) => field),
      'pending',
    ])
  }
})

test('rejects impossible ids and paths in every call', async () => {
  const { client, projectId } = await createScene()
  const refused = async (odd: string) => {
    const calls = [
      client.tests.verify.mutate({ projectId: odd, ...someTest }),
      client.tests.verifyMany.mutate({ projectId: odd, tests: [someTest] }),
      client.tests.getVerification.query({ verificationId: odd }),
      client.tests.cancelVerification.mutate({ verificationId: odd }),
      client.tests.listVerifications.query({ projectId: odd }),
      client.suggestions.list.query({ projectId: odd }),
      client.suggestions.dismiss.mutate({ suggestionId: odd }),
      client.generatedTests.list.query({ projectId: odd }),
      client.generatedTests.get.query({ generatedTestId: odd }),
      client.generatedTests.dismiss.mutate({ generatedTestId: odd }),
    ]
    const codes = calls.map((call) =>
      call.then(
        () => 'was let in',
        (error) => error.data?.code,
      ),
    )
    return [...new Set(await Promise.all(codes))]
  }
  expect(await refused('a\0b')).toEqual(['BAD_REQUEST'])
  expect(await refused('a\ud800')).toEqual(['NOT_FOUND'])
  expect(await refused('x'.repeat(5_000))).toEqual(['NOT_FOUND'])
  for (const filter of [{ batchId: 'a\0b' }, { filePath: 'a\0b' }]) {
    await expect(client.tests.listVerifications.query({ projectId, ...filter })).rejects.toThrow('NUL')
  }
  await expect(client.generatedTests.list.query({ projectId, suggestionId: 'a\0b' })).rejects.toThrow('NUL')
  await expect(client.tests.verify.mutate({ projectId, ...someTest, branch: 'a\0b' })).rejects.toThrow('branch')
})

test('requires either a generated test, or path and code', async () => {
  const { client, projectId } = await createScene()
  const { id: generatedTestId } = await createGeneratedTestFor(app, { projectId })
  const { filePath, code } = someTest
  const refused: [object, RegExp][] = [
    [{}, /^filePath and code: are missing. .*either filePath and code/],
    [{ code }, /^filePath: is missing. /],
    [{ filePath }, /^code: is missing. /],
    [{ filePath, code: '' }, /^code: is empty. Send the complete code of the test/],
    [{ filePath: '', code }, /^filePath: is empty. Send the path of the test/],
    [{ ...someTest, target: { path: 'src/cart.js', symbol: '' } }, /^target.symbol: is empty. /],
  ]
  for (const [given, message] of refused) {
    await expect(client.tests.verify.mutate({ projectId, ...given })).rejects.toThrow(message)
  }
  await expect(client.tests.verify.mutate({ projectId, ...someTest, generatedTestId })).rejects.toThrow(
    'cannot be combined',
  )
})

test('judges a test for a suggestion only on the code of the suggestion', async () => {
  const { client, projectId } = await createScene()
  const { id: suggestionId } = await createSuggestionFor(app, {
    projectId,
    target: { symbol: 'total', startLine: 3, endLine: 9 },
  })
  const path = 'src/cart.js'
  const verify = (target: object) =>
    client.tests.verify.mutate({ projectId, ...someTest, suggestionId, target: { path, ...target } })
  const judgedOn = async (target: object) => (await rowOf((await verify(target)).id)).target
  const whole = { path, symbol: 'total', startLine: 3, endLine: 9 }
  expect(await judgedOn({})).toEqual(whole)
  expect(await judgedOn({ symbol: 'total' })).toEqual(whole)
  expect(await judgedOn({ startLine: 4, endLine: 5 })).toEqual({ ...whole, startLine: 4, endLine: 5 })
  expect(await judgedOn({ startLine: 1, endLine: 500 })).toEqual(whole)
  expect(await judgedOn({ startLine: 9 })).toEqual({ ...whole, startLine: 9 })
  // Code that has moved since is still the same.
  expect(await judgedOn({ symbol: 'total', startLine: 40, endLine: 46 })).toMatchObject({ startLine: 40, endLine: 46 })
  for (const other of [{ startLine: 10, endLine: 20 }, { startLine: 1, endLine: 2 }, { startLine: 2 }]) {
    await expect(verify(other)).rejects.toThrow('does not match the target of the suggestion')
  }
})

test('answers the same for records of other users and for missing ones', async () => {
  const { client, projectId } = await createScene()
  const other = await createScene()
  const { id: verificationId } = await other.client.tests.verify.mutate({ projectId: other.projectId, ...someTest })
  const { id: suggestionId } = await createSuggestionFor(app, { projectId: other.projectId })
  const { id: generatedTestId } = await createGeneratedTestFor(app, { projectId: other.projectId })
  const never = newId(new Date())
  const calls: [string, (id: string) => Promise<unknown>][] = [
    [verificationId, (id) => client.tests.getVerification.query({ verificationId: id })],
    [verificationId, (id) => client.tests.cancelVerification.mutate({ verificationId: id })],
    [other.projectId, (id) => client.tests.verify.mutate({ projectId: id, ...someTest })],
    [other.projectId, (id) => client.tests.verifyMany.mutate({ projectId: id, tests: [someTest] })],
    [other.projectId, (id) => client.tests.listVerifications.query({ projectId: id })],
    [suggestionId, (id) => client.tests.verify.mutate({ projectId, ...someTest, suggestionId: id })],
    [generatedTestId, (id) => client.tests.verify.mutate({ projectId, generatedTestId: id })],
    [suggestionId, (id) => client.suggestions.dismiss.mutate({ suggestionId: id })],
    [generatedTestId, (id) => client.generatedTests.get.query({ generatedTestId: id })],
    [generatedTestId, (id) => client.generatedTests.dismiss.mutate({ generatedTestId: id })],
  ]
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'was let in',
      (error) => [error.data.code, error.message],
    )
  for (const [foreign, call] of calls) {
    const answer = await refusal(call(foreign))
    expect(answer).toEqual(['NOT_FOUND', expect.stringMatching(/^No such/)])
    expect(await refusal(call(never))).toEqual(answer)
  }
  expect(await rowOf(verificationId)).toMatchObject({ status: 'pending' })
})
