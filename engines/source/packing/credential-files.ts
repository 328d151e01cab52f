import { readWorkingFile } from '../working-files.ts'

/** Larger files are not searched for tokens. */
const maxSearchedBytes = 2 ** 20

const environmentFile = /^(?:\.envrc|\.env(?:\.[^/]{1,100})?|[^/]{1,200}\.env)$/
const environmentExample =
  /\.(?:example|sample|template|dist|defaults)$|(?:^|[._-])(?:example|sample|template|dist|defaults)\.env$/
const keyFile = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.key$/
const awsFile = /(?:^|\/)\.aws\/credentials$/
const keyStore = /\.(?:p12|pfx|jks|keystore|kdbx)$/

/** Credentials of tools, by the file in which the tool keeps them. */
const toolFiles: readonly [name: RegExp, what: string, content: RegExp][] = [
  [/^\.npmrc$/, 'an npm token', /_(?:authToken|auth|password)[ \t]?=[ \t]?(?!\$)[^\s$]{8}/i],
  [/^\.yarnrc\.yml$/, 'an npm token', /npmAuth(?:Token|Ident): ?["']?(?!\$)[^\s"'$]{8}/],
  [/^\.pypirc$/, 'a PyPI password', /^[ \t]{0,20}password[ \t]?[=:][ \t]?\S/im],
  [/^[._]netrc$/, 'a password', /\bpassword\s\S/],
  [/^\.git-credentials$/, 'a password', /@/],
  [/^\.pgpass$/, 'a password', /^[^#\s]/m],
  [/^(?:config\.json|\.dockercfg|\.dockerconfigjson)$/, 'a registry password', /"auth": ?"[A-Za-z0-9+/=]{8,}"/],
]

const privateKeyHeader = /-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP |)PRIVATE KEY(?: BLOCK|)-----/g
const lineEnd = /\\[nr]|[\r\n]/
const keyLine = /^[ \t"']{0,20}[A-Za-z0-9+/]{32}/
// Headers of encrypted keys come before the key.
const searchedLines = 10
const searchedBytes = 600

const tokens: readonly [what: string, content: RegExp][] = [
  ['a GitHub token', /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36}/g],
  ['a GitHub token', /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{60}/g],
  ['a GitLab token', /(?<![A-Za-z0-9])gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{20}/g],
  ['an AWS access key', /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g],
  ['an AWS secret key', /aws_secret_access_key["']? ?[=:] ?["']?[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])/gi],
  ['a Slack token', /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{20}/g],
  ['a Slack webhook', /hooks\.slack\.com\/services\/T[A-Za-z0-9/]{35}/g],
  ['a Stripe key', /(?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{20}/g],
  ['an npm token', /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g],
  ['a PyPI token', /pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50}/g],
  ['an Anthropic key', /(?<![A-Za-z0-9])sk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{20}/g],
  ['an OpenAI key', /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40}/g],
  ['a Google API key', /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g],
  ['a SendGrid key', /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g],
  ['a Hugging Face token', /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{34}/g],
  ['a DigitalOcean token', /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/g],
  // The payload of the example in manuals begins with the subject 1234567890.
  [
    'a JSON Web Token',
    /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,1000}\.(?!eyJzdWIiOiIxMjM0NTY3ODkw)eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20}/g,
  ],
  ['a client key of Kubernetes', /client-key-data: ?[A-Za-z0-9+/=]{40}/g],
]

const connection =
  /(?<![a-z])(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver):\/\/([^\s:/@"'`]{0,100}):([^\s:/@"'`]{1,200})@([A-Za-z0-9.[-]{1,200})/g
/** Hosts of this machine, and hosts that exist only in manuals and tests. */
const placeholderHost =
  /^(?:localhost|127\.[\d.]+|\[.*|0\.0\.0\.0|host|hostname|.*\.(?:localhost|test|invalid|example)|(?:.*\.)?example\.(?:com|net|org))$/i
const placeholderPassword =
  /[$<>{}*%]|^(?:(?:my|your|test|dev|db)[-_]?)?(?:pass(?:word|wd|phrase)?|pwd?|secret|test|dev|dummy|fake|root|admin|guest|change[-_]?me|x+|\.+)[\d!]{0,4}$/i

/**
 * Says what a file contains that should not leave the machine, by its name and by its content: `a private key`.
 * Returns undefined for all other files. Reads small text files only. The rules prefer to miss an unusual credential
 * over leaving out a file that tests need: they know files and tokens of well-known form, and no word such as password.
 *
 * @param name - below the top of the tree
 */
export function credentialIn(name: string, path: Buffer): string | undefined {
  const file = name.slice(name.lastIndexOf('/') + 1)
  const lower = file.toLowerCase()
  if (environmentFile.test(lower) && !environmentExample.test(lower)) return 'environment variables'
  if (keyFile.test(lower)) return 'a private key'
  if (awsFile.test(name.toLowerCase())) return 'AWS credentials'
  if (keyStore.test(lower)) return 'a key store'
  const content = readWorkingFile(path, maxSearchedBytes)
  return content === null || content.includes(0) ? undefined : credentialInText(content.toString('latin1'), lower)
}

function credentialInText(text: string, file: string): string | undefined {
  for (const [name, what, content] of toolFiles) if (name.test(file) && content.test(text)) return what
  if (hasPrivateKey(text)) return 'a private key'
  if (hasConnection(text)) return 'a password in a connection string'
  for (const [what, content] of tokens) {
    for (const [token] of text.matchAll(content)) if (isLikeRandom(token)) return what
  }
  return undefined
}

const hasConnection = (text: string): boolean =>
  text
    .matchAll(connection)
    .some(
      ([, user = '', password = '', host = '']) =>
        password !== user && !placeholderPassword.test(password) && !placeholderHost.test(host),
    )

/** Whether a key follows after its header, which tests and manuals also have alone. */
const hasPrivateKey = (text: string): boolean =>
  text.matchAll(privateKeyHeader).some(({ 0: header, index }) => {
    const start = index + header.length
    const lines = text.slice(start, start + searchedBytes).split(lineEnd, searchedLines)
    return lines.some((line) => keyLine.test(line))
  })

const minDifferent = 10

/** Examples in tests and manuals repeat a character or say what they are. */
const isLikeRandom = (token: string): boolean =>
  !/example/i.test(token) && new Set(token.slice(-32)).size >= minDifferent
