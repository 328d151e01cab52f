import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

interface AppSettings {
  CODE_HOST_APP_ID?: string | undefined
  CODE_HOST_APP_PRIVATE_KEY?: string | undefined
  CODE_HOST_APP_PRIVATE_KEY_FILE?: string | undefined
}

/** Reads the id and private key of the GitHub App from the settings; `app` is undefined if none is configured. */
export function readApp(
  settings: AppSettings,
): { app: { id: string; privateKey: string } | undefined } | { problem: string } {
  const { CODE_HOST_APP_ID: id, CODE_HOST_APP_PRIVATE_KEY: given, CODE_HOST_APP_PRIVATE_KEY_FILE: file } = settings
  if (given !== undefined && file !== undefined) {
    return { problem: 'Set CODE_HOST_APP_PRIVATE_KEY or CODE_HOST_APP_PRIVATE_KEY_FILE, not both' }
  }
  if (id === undefined && given === undefined && file === undefined) return { app: undefined }
  if (id === undefined || (given === undefined && file === undefined)) {
    return { problem: 'CODE_HOST_APP_ID and CODE_HOST_APP_PRIVATE_KEY (or _FILE) must be set together' }
  }
  const name = given === undefined ? 'CODE_HOST_APP_PRIVATE_KEY_FILE' : 'CODE_HOST_APP_PRIVATE_KEY'
  try {
    // Environment files often contain the key in one line.
    const privateKey = given?.replaceAll('\\n', '\n') ?? readFileSync(file ?? '', 'utf8')
    if (createPrivateKey(privateKey).asymmetricKeyType === 'rsa') return { app: { id, privateKey } }
  } catch {
    // The error could quote the key.
  }
  return { problem: `${name} must be the RSA private key of the GitHub App in PEM format` }
}
