import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAnalysis } from '../testing/analysis.ts'
import { type ServedAiService, serve } from '../testing/serve.ts'

let service: ServedAiService
beforeAll(async () => {
  service = await serve({ AI_SERVICE_SECRET: 'shared-with-core' })
})
afterAll(() => service.close())

test('the secret gives access to every route', async () => {
  const headers = { Authorization: 'Bearer shared-with-core' }
  expect((await service.get('/provider', headers)).status).toBe(200)
  expect((await service.post('/suggest-tests', { analysis: anAnalysis() }, headers)).status).toBe(200)
})

test.each<Record<string, string>>([
  {},
  { Authorization: 'Bearer wrong' },
  { Authorization: 'Bearer shared-with-cor' },
  { Authorization: 'Bearer shared-with-core2' },
  { Authorization: 'Basic shared-with-core' },
  { Authorization: 'Bearer' },
  { Authorization: 'shared-with-core' },
])('without it the routes are closed: %o', async (headers) => {
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() }, headers)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await response.json()).toEqual({
    error: 'Unauthorized',
    message: expect.stringContaining('AI_SERVICE_SECRET'),
    code: 'UNAUTHORIZED',
  })
})

test('without the secret, unknown routes are not revealed', async () => {
  expect((await service.get('/nowhere')).status).toBe(401)
  expect((await service.get('/provider')).status).toBe(401)
  expect((await service.get('//health')).status).toBe(401)
})

test('routes for supervisors need no secret', async () => {
  expect((await service.get('/')).status).toBe(200)
  expect((await service.get('/health')).status).toBe(200)
})

test('without a configured secret, no route requires one', async () => {
  await using open = await serve()
  expect((await open.get('/provider')).status).toBe(200)
})
