import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendUpload } from './send-upload.ts'

test('does not follow a redirect with an upload, and does not retry it', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    request.resume()
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const form = new FormData()
  form.append('reports', new Blob(['<testsuite/>']), 'junit.xml')
  const signal = AbortSignal.timeout(10_000)
  const sent = sendUpload({ projectId: 'p', form, credentials: { baseUrl, token: 'svc_v1_x' }, signal })
  await expect(sent).rejects.toMatchObject({ failure: { kind: 'redirects' } })
  expect(asked).toEqual(['/api/ci/upload/p'])
})
