import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testCertificate } from '../testing/certificate.ts'
import { httpReceiver, listening, rawReceiver } from '../testing/receiver.ts'
import { attemptDelivery } from './attempt.ts'

const options = {
  allowCidrs: ['127.0.0.0/8', '::1/128'],
  requireHttps: true,
  connectTimeoutMs: 2_000,
  timeoutMs: 3_000,
}
const never = new AbortController().signal
const request = { body: '{}', headers: {} }
const run = promisify(execFile)

/** Records the server names (SNI) of clients. */
function secureReceiver(asked: unknown[] = [], host?: string) {
  const server = createServer(testCertificate, ({ socket }, response) => {
    asked.push('servername' in socket ? socket.servername : undefined)
    response.end('secret well kept')
  })
  return listening(server, { protocol: 'https', host })
}

/** Runs attempts in a process with these environment variables, as an operator would set them. */
async function attemptElsewhere(urls: string[], environment: Record<string, string>) {
  const script = `
    import { attemptDelivery } from ${JSON.stringify(new URL('attempt.ts', import.meta.url).href)}
    const { urls, options } = JSON.parse(process.argv[1])
    const outcomes = []
    for (const url of urls) {
      outcomes.push(await attemptDelivery({ url, body: '{}', headers: {} }, options, new AbortController().signal))
    }
    console.log(JSON.stringify(outcomes))`
  const given = JSON.stringify({ urls, options: { ...options, requireHttps: false } })
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, given], { env: environment })
  return JSON.parse(stdout)
}

test('rejects an untrusted certificate before it sends anything', async () => {
  const asked: unknown[] = []
  await using receiver = await secureReceiver(asked)
  const outcome = await attemptDelivery({ ...request, url: receiver.url }, options, never)
  expect(outcome).toMatchObject({
    responseStatus: null,
    error: 'The certificate of 127.0.0.1 is not trusted: it is self-signed.',
    address: '127.0.0.1',
  })
  expect(asked).toEqual([])
})

test('rejects a server without TLS for an https URL', async () => {
  await using receiver = await rawReceiver(() => undefined)
  await using web = await httpReceiver((_, response) => response.end())
  for (const { port } of [receiver, web]) {
    const soon = { ...options, connectTimeoutMs: 200 }
    const outcome = await attemptDelivery({ ...request, url: `https://127.0.0.1:${port}/` }, soon, never)
    expect(outcome.responseStatus).toBeNull()
    expect(outcome.error).toMatch(/^No (TLS )?connection to 127\.0\.0\.1/)
    if (port === web.port) expect(outcome.error).toMatch(/Does it speak plain HTTP\?$/)
  }
})

test('an operator can trust another certificate, only for its host names', async () => {
  const asked: unknown[] = []
  const folder = await mkdtemp(join(tmpdir(), 'assay-certificate-'))
  try {
    const file = join(folder, 'certificate.pem')
    await writeFile(file, testCertificate.cert)
    await using receiver = await secureReceiver(asked, '::')
    const urls = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `https://${host}:${receiver.port}/`)
    const [byAddress, byName, other] = await attemptElsewhere(urls, { NODE_EXTRA_CA_CERTS: file })
    expect(byAddress).toMatchObject({ responseStatus: 200, responseHead: 'secret well kept', error: null })
    expect(byName).toMatchObject({ responseStatus: 200, error: null })
    expect(other).toMatchObject({
      responseStatus: null,
      error: 'The certificate of ::1 is for another host name.',
    })
    expect(asked).toEqual([false, 'localhost'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('no environment variable disables verification or enables a proxy', async () => {
  await using proxy = await httpReceiver((_, response) => response.end('proxy'))
  await using secure = await secureReceiver()
  await using plain = await httpReceiver((_, response) => response.end('receiver'))
  const there = `http://127.0.0.1:${proxy.port}`
  const [refused, direct] = await attemptElsewhere([secure.url, plain.url], {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: there,
    http_proxy: there,
    HTTPS_PROXY: there,
    https_proxy: there,
  })
  expect(refused).toMatchObject({ responseStatus: null, error: expect.stringContaining('self-signed') })
  expect(direct).toMatchObject({ responseStatus: 200, responseHead: 'receiver' })
  expect(proxy.connections).toBe(0)
})
