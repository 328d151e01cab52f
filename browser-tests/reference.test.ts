import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { openBrowser } from './browser.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

test('the reference shows every route, does not violate its policy, and sends requests only to this server', async () => {
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  const complaints: string[] = []
  const asked = new Set<string>()
  tab.on('console', (message) => complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(error.message))
  tab.on('request', (request) => asked.add(new URL(request.url()).origin))
  await tab.goto(`${app.config.baseUrl}/docs`)
  await tab.getByText('/api/v1/projects/{id}/analyze').waitFor()
  const document = (await (await app.fetch('/api/openapi.json')).json()) as { paths: Record<string, object> }
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item))
  expect(await tab.locator('.opblock').count()).toBe(operations.length)
  expect(complaints).toEqual([])
  expect([...asked].filter((origin) => origin !== 'null')).toEqual([app.config.baseUrl])
})

test('a call with a token goes only to this server, and the token is lost when the page closes', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user })
  const token = await createTokenFor(app, { user })
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  const complaints: string[] = []
  const withToken: string[] = []
  tab.on('console', (message) => complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(error.message))
  tab.on('request', (request) => {
    if (request.headers()['authorization']) withToken.push(request.url())
  })
  await tab.goto(`${app.config.baseUrl}/docs?url=https://elsewhere.example/openapi.json#/projects/getProject`)
  await tab.getByRole('button', { name: 'Authorize', exact: true }).first().click()
  await tab.getByLabel('auth-bearer-value').fill(token)
  await tab.getByRole('button', { name: 'Apply credentials' }).first().click()
  await tab.getByRole('button', { name: 'Close' }).first().click()
  const operation = tab.locator('#operations-projects-getProject')
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByPlaceholder('id').fill(project.id)
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table').getByText(`"${project.name}"`).first().waitFor()
  expect(withToken).toEqual([`${app.config.baseUrl}/api/v1/projects/${project.id}`])
  expect(complaints).toEqual([])
  const kept = await tab.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
  expect(kept).not.toContain('svc_')
})
