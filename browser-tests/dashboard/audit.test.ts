import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { createTokenFor, createUser } from '../../core/testing/factories.ts'
import { openDashboard } from './open-dashboard.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
})
afterAll(() => app[Symbol.asyncDispose]())

test('the audit log is filtered by the address, moves by pages, and is exported with everything that matches', async () => {
  const user = await createUser(app, { name: 'Ann' })
  const client = app.client(await createTokenFor(app, { user }))
  for (let number = 0; number < 104; number++) {
    const name = number === 0 ? '=HYPERLINK("x")<script>' : `Token ${number}`
    const { id } = await client.tokens.create.mutate({ name, scopes: ['tests:read'] })
    await client.tokens.revoke.mutate({ tokenId: id })
  }
  await using dashboard = await openDashboard(app, user)
  const { tab } = dashboard
  await dashboard.open('/settings/audit')
  await tab.getByLabel('Action').selectOption('token_created')
  const table = tab.getByRole('table', { name: 'Audit log' })
  await expect.poll(() => table.getByText('Revoked a token').count()).toBe(0)
  expect(await table.getByRole('row').count()).toBe(101)
  expect(new URL(tab.url()).searchParams.get('action')).toBe('token_created')
  await tab.getByRole('button', { name: 'Older' }).press('Enter')
  await expect.poll(() => table.getByRole('row').count()).toBe(5)
  await table.getByText('name: =HYPERLINK("x")<script>').click()
  expect(await table.innerText()).toContain('tests:read')
  expect(await dashboard.violations()).toEqual([])

  const [file] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: 'CSV of Audit log' }).click(),
  ])
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines).toHaveLength(105)
  expect(lines[1]).toContain(`token_created,${user.email}`)
  expect(dashboard.complaints).toEqual([])
})
