import { expect, test } from 'vitest'
import { createTestApp } from '../core/testing/app.ts'
import { startOAuthHost } from '../core/testing/oauth-host.ts'
import { openBrowser } from './browser.ts'
import { startDashboard } from './foreign-dashboard.ts'

for (const kind of ['oauth', 'github'] as const) {
  test(`a dashboard signs a user in with the code host (${kind}), who returns with a session`, async () => {
    await using codeHost = await startOAuthHost(kind)
    await using dashboard = await startDashboard()
    await using app = await createTestApp({ codeHost: codeHost.config, corsOrigins: [dashboard.origin] })
    app.config.baseUrl = app.url.replace('127.0.0.1', 'localhost')
    const assay = app.config.baseUrl
    await using browser = await openBrowser()
    const tab = await browser.newPage()
    await tab.goto(dashboard.origin)

    const call = (path: string, body?: object) =>
      tab.evaluate(
        async ([url, sent]) => {
          const response = await fetch(url, {
            method: sent === '' ? 'GET' : 'POST',
            credentials: 'include',
            ...(sent === '' ? {} : { headers: { 'content-type': 'application/json' }, body: sent }),
          })
          return { status: response.status, body: (await response.json()) as Record<string, unknown> }
        },
        [`${assay}${path}`, body ? JSON.stringify(body) : ''] as const,
      )
    expect(await call('/api/auth/get-session')).toEqual({ status: 401, body: { session: null, user: null } })
    const begun = await call('/api/auth/sign-in/social', {
      provider: 'code_host',
      callbackURL: `${dashboard.origin}/welcome`,
    })
    expect(begun).toMatchObject({ status: 200, body: { redirect: true } })

    await tab.goto(String(begun.body['url']))
    // The emulated GitHub asks for approval, and the OAuth server approves automatically.
    if (kind === 'github') await tab.getByRole('button', { name: /octocat/ }).click()
    await tab.waitForURL(`${dashboard.origin}/welcome`)
    expect(await call('/api/auth/get-session')).toMatchObject({
      status: 200,
      body: { user: { email: 'octocat@example.com', emailVerified: true } },
    })
    expect(await tab.evaluate('document.cookie')).toBe('')

    expect(await call('/api/auth/sign-out', {})).toEqual({ status: 200, body: { success: true } })
    expect((await call('/api/auth/get-session')).status).toBe(401)
  })
}

test('an error page explains a wrong port and names both URLs', async () => {
  await using codeHost = await startOAuthHost('oauth')
  await using app = await createTestApp({ codeHost: codeHost.config })
  const right = app.url.replace('127.0.0.1', 'localhost')
  app.config.baseUrl = 'http://localhost:4999'
  await using browser = await openBrowser()
  const tab = await browser.newPage()
  const shown = await tab.goto(`${right}/sign-in`)
  expect(shown?.status()).toBe(400)
  const text = await tab.getByRole('main').innerText()
  expect(text).toContain(new URL(right).host)
  expect(text).toContain('localhost:4999')
  expect(text).toContain('BASE_URL')
})
