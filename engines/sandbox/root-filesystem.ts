import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of this machine that a sandbox shows besides volumes and toolchains. */
export interface RootFilesystem {
  /** Shown read-only at the same path. */
  shown: string[]
  links: { path: string; target: string }[]
  /** Files of the host that contain credentials, inside of shown folders. */
  masked: string[]
  /** Files of our own in /etc. */
  files: { path: string; content: string }[]
}

/** The files of /etc that programs need: no accounts, no keys, no configuration of services. */
const shownInEtc =
  /^(alternatives|ca-certificates(\.conf)?|ld\.so\..*|localtime|timezone|mime\.types|magic(\.mime)?|services|protocols|os-release|debian_version|lsb-release|alpine-release|redhat-release|fedora-release|host\.conf|gai\.conf|bash\.bashrc|inputrc|terminfo|fonts|chromium(\.d)?|java.*|jvm.*|maven|gradle|php.*|python.*|perl|ruby.*|gems?|dotnet|groff|xml|sgml|xdg|locale\.alias|crypto-policies|postgresql-common)$/
/** Parts of folders that also contain private keys. */
const shownDeeper = [
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ssl/cert.pem',
  '/etc/pki/ca-trust',
  '/etc/pki/java',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
]
/** Settings of package managers for the whole machine, shown unless they contain credentials. */
const shownWithoutCredentials = ['/etc/npmrc', '/etc/pip.conf', '/etc/gitconfig', '/etc/xdg/pip/pip.conf']
const maskedWithCredentials = [
  '/usr/etc/npmrc',
  '/usr/local/etc/npmrc',
  '/etc/maven/settings.xml',
  '/etc/xdg/pip/pip.conf',
]

export const user = { id: 1000, name: 'runner', home: '/home/runner' }

/** Describes the root file system of a sandbox from the folders of the host. */
export function findRootFilesystem(): RootFilesystem {
  const root: RootFilesystem = { shown: ['/usr'], links: [], masked: [], files: accountFiles() }
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const path = `/${name}`
    if (!existsSync(path)) continue
    if (lstatSync(path).isSymbolicLink()) root.links.push({ path, target: readlinkSync(path) })
    else root.shown.push(path)
  }
  const etc = readdirSync('/etc').filter((name) => shownInEtc.test(name))
  const wanted = [...etc.map((name) => join('/etc', name)), ...shownDeeper]
  root.shown.push(...wanted.filter((path) => existsSync(path)))
  root.shown.push(...shownWithoutCredentials.filter((path) => existsSync(path) && !holdsCredentials(path)))
  root.masked.push(
    ...maskedWithCredentials.filter(
      (path) => existsSync(path) && holdsCredentials(path) && root.shown.some((shown) => path.startsWith(`${shown}/`)),
    ),
  )
  return root
}

/** Whether settings of a package manager are more than settings. What cannot be read might be. */
export function holdsCredentials(path: string): boolean {
  try {
    // The settings that Maven brings along have an example of everything in their comments.
    const text = readFileSync(path, 'utf8').replace(/<!--.*?-->/gs, '')
    return /_auth|_password|token|<password>|<passphrase>|<privateKey>|PRIVATE KEY|:\/\/[^/\s@]+@/i.test(text)
  } catch {
    return true
  }
}

function accountFiles(): RootFilesystem['files'] {
  const { id, name, home } = user
  return [
    {
      path: '/etc/passwd',
      content: `root:x:0:0:root:/root:/bin/sh\n${name}:x:${id}:${id}:${name}:${home}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
    },
    { path: '/etc/group', content: `root:x:0:\n${name}:x:${id}:\nnogroup:x:65534:\n` },
    { path: '/etc/hosts', content: '127.0.0.1 localhost sandbox\n::1 localhost sandbox\n' },
    { path: '/etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
    // The egress proxy resolves names. A name server that refuses immediately avoids timeouts.
    { path: '/etc/resolv.conf', content: 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' },
    { path: '/etc/hostname', content: 'sandbox\n' },
  ]
}
