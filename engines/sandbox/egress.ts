import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startEgressProxy } from './egress-proxy.ts'
import { makeTemporaryFolder } from './left-folders.ts'

/** The egress of one sandbox, which has no network interface. */
export interface Egress extends AsyncDisposable {
  /** To be shown in the sandbox. */
  files: { source: string; path: string }[]
  environment: Record<string, string>
  /** Makes the command start the sandbox's end of the way out first. */
  wrap(argv: readonly string[]): string[]
  /** Resolves, with a sentence for users, when so many connections failed that the command only repeats itself. */
  tooManyRefusals: Promise<string>
}

/**
 * npm repeats refused requests without a pause and without an end, where packages are optional. A command that needs this
 * many connections has already failed.
 */
const maxRefusals = 500
const port = 3128
const folder = '/run/assay'
const forwarder = `${folder}/egress-forwarder.mjs`
const socket = `${folder}/egress.sock`

/** Starts the forwarder as a detached process, waits until it listens, and then executes the command. */
const startForwarder = `( env -i ${folder}/bin/node ${forwarder} ${port} ${socket} </dev/null 2>/dev/null & ) | read -r _
exec "$@"`

/** Opens the host's end. It is in the system's temporary folder because the path of a socket must be short. */
export async function openEgress(
  allowCidrs: readonly string[],
  hostEnvironment: Readonly<Record<string, string | undefined>>,
): Promise<Egress> {
  const own = await makeTemporaryFolder('egress')
  const tooMany = Promise.withResolvers<string>()
  let refusals = 0
  const proxy = await startEgressProxy({
    path: join(own, 'socket'),
    allowCidrs,
    onRefusal: (reason) => {
      if (++refusals < maxRefusals) return
      tooMany.resolve(`The command failed to connect ${maxRefusals} times. The last reason: ${reason}`)
    },
  })
  return {
    files: [
      { source: join(own, 'socket'), path: socket },
      { source: join(import.meta.dirname, 'egress-forwarder.mjs'), path: forwarder },
    ],
    environment: { ...proxyEnvironment(), ...certificateEnvironment(hostEnvironment) },
    tooManyRefusals: tooMany.promise,
    wrap: (argv) => ['/bin/sh', '-c', startForwarder, 'sh', ...argv],
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await rm(own, { recursive: true, force: true })
    },
  }
}

function proxyEnvironment(): Record<string, string> {
  const url = `http://127.0.0.1:${port}`
  const local = 'localhost,127.0.0.1,::1'
  // Not JAVA_TOOL_OPTIONS, which makes every Java program print a line.
  const java = `-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${port} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${port} -Dhttp.nonProxyHosts=localhost|127.*`
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: local,
    no_proxy: local,
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    PIP_PROXY: url,
    // pip retries a proxy that refuses, by default with pauses of ten seconds in all.
    PIP_RETRIES: '3',
    CARGO_HTTP_PROXY: url,
    NODE_USE_ENV_PROXY: '1',
    MAVEN_OPTS: java,
    GRADLE_OPTS: java,
  }
}

/** The host's own bundle of public certificates, which may know an authority that programs do not bring along. */
function certificateEnvironment(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = [
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'PIP_CERT',
    'GIT_SSL_CAINFO',
    'CARGO_HTTP_CAINFO',
  ]
  const isPublic = (value: string) => /^\/etc\/(ssl\/certs|pki\/(tls\/certs|ca-trust))(\/|$)/.test(value)
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = host[name]
      return value !== undefined && isPublic(value) && existsSync(value) ? [[name, value]] : []
    }),
  )
}
