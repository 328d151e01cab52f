import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createTestApp } from '../testing/app.ts'
import { pageAt, readDashboardPaths } from '../testing/dashboard-pages.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import * as urls from './page-urls.ts'

const baseUrl = 'https://assay.example.com'
const site = { config: { baseUrl } }
const record = { id: '01J00000000000000000000001', projectId: '01J00000000000000000000002' }

const pages: Record<keyof typeof urls, [url: string, page: string]> = {
  projectUrl: [urls.projectUrl(site, record.projectId), '/projects/$projectId'],
  runUrl: [urls.runUrl(site, record), '/projects/$projectId/runs/$runId'],
  testUrl: [urls.testUrl(site, record), '/projects/$projectId/tests/$testId'],
  verificationUrl: [urls.verificationUrl(site, record), '/projects/$projectId/verifications/$verificationId'],
  verificationsUrl: [urls.verificationsUrl(site, record.projectId), '/projects/$projectId/verifications'],
  changeUrl: [urls.changeUrl(site, record), '/projects/$projectId/changes/$changeId'],
  gateUrl: [urls.gateUrl(site, record), '/projects/$projectId/gates/$gateId'],
  measurementUrl: [urls.measurementUrl(site, record), '/projects/$projectId/strength/$measurementId'],
  generatedTestUrl: [urls.generatedTestUrl(site, record), '/projects/$projectId/generated-tests/$generatedTestId'],
  candidatesUrl: [urls.candidatesUrl(site, record.projectId), '/projects/$projectId/suggestions'],
  suggestionsUrl: [urls.suggestionsUrl(site, record.projectId), '/projects/$projectId/suggestions'],
  suggestionUrl: [urls.suggestionUrl(site, record), '/projects/$projectId/suggestions'],
}

test.each(Object.entries(pages))('%s leads to a page of the dashboard', async (_name, [url, page]) => {
  expect(await pageAt(url, baseUrl)).toBe(page)
})

test('an address without a page is noticed', async () => {
  expect(await readDashboardPaths()).toEqual(expect.arrayContaining(['/', '/settings/tokens', '/projects/$projectId']))
  for (const path of ['/run/x', '/projects/x/runs/y/z', '/projects/x/nothing/y']) {
    await expect(pageAt(`${baseUrl}${path}`, baseUrl)).rejects.toThrow(`no page at ${baseUrl}${path}`)
  }
  await expect(pageAt('https://elsewhere.example/projects/x', baseUrl)).rejects.toThrow('no page')
})

test('the page of suggestions reads the parameters that a link to a suggestion has', async () => {
  const { searchParams } = new URL(urls.suggestionUrl(site, record))
  expect([...searchParams]).toEqual([
    ['tab', 'suggestions'],
    ['open', record.id],
  ])
  const source = await readFile(resolve(import.meta.dirname, '../../dashboard/pages/suggestions/input.ts'), 'utf8')
  for (const name of searchParams.keys()) expect(source).toContain(`given['${name}']`)
  expect(source).toMatch(/tab: oneOfParam\(given\['tab'\], \[.*'suggestions'/)
})

test('records lead to the present address of the server, also those that were stored under another one', async () => {
  await using app = await createTestApp({ role: 'web' })
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  const { id: projectId } = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId })
  const urlsNow = async () => {
    const [run, project] = await Promise.all([
      client.testRuns.get.query({ runId }),
      client.projects.getProject.query({ projectId }),
    ])
    return [run.url, project.url]
  }
  expect(await urlsNow()).toEqual([
    `${app.url}/projects/${projectId}/runs/${runId}`,
    `${app.url}/projects/${projectId}`,
  ])
  app.config.baseUrl = baseUrl
  expect(await urlsNow()).toEqual([
    `${baseUrl}/projects/${projectId}/runs/${runId}`,
    `${baseUrl}/projects/${projectId}`,
  ])
})
